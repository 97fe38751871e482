"""Bounds that hold if the pair belongs to a stated family.

`parametric` fits, bounds and checks a family, `estimators` reads its parameter off scores,
`noncentral_t` has the exact limits of a standardized mean difference, `own_variances` those of
normal scores with two variances, `gdp_fit` fits μ of Gaussian differential privacy.
"""
