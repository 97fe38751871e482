"""What an audit can show with the scores that it has, or will have.

`power` computes the power of the band against an alternative (`Claim.alternatives` lists them),
`sample_size` plans, `verdict` judges a claim.
"""
