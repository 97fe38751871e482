"""What an audit can show with the scores that it has, or will have.

`power` computes the power of the band against an alternative, `alternatives` lists mechanisms that
violate a claim, `sample_size` plans, `verdict` judges a claim.
"""
