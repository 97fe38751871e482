"""Bounds that hold if the pair belongs to a stated family.

`parametric` fits, bounds and checks a family, `families` lists them, `noncentral_t` has the exact
limits of a standardized mean difference, `gdp_fit` fits μ of Gaussian differential privacy.
"""
