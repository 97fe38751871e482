"""Bounds that hold if the pair belongs to a stated family.

`parametric` fits and bounds a family, `checks` tests it, `departures` says what such a test can
miss, with the expected scores of `laws`. `estimators` (of the type in `family_estimator`) read a
family's parameter off scores, `rank_likelihood` off their ranks. `noncentral_t` has the exact
limits of a standardized mean difference, `own_variances` those of normal scores with two variances,
`total_variation` goes by a bound on total variation. `gdp_fit` fits μ of Gaussian differential
privacy, `binormal_fit` does so by likelihood, and `residuals` has what each threshold alone says.
"""
