"""What an audit can show with the scores that it has, or will have.

`power` computes the power of the band's tests against an alternative (`Claim.alternatives` lists
them), `judge` judges a claim, and `verdict` is the result.

`sample_size` has the public functions of planning and `plan_results` their results. `plan` is the
base class of plans: `plan_threshold`, `plan_band` and `plan_audits` compute power for one kind of
bound each; `best_threshold` is the threshold that suits a known pair best, from the counts of
`binomial_quantiles`.
"""
