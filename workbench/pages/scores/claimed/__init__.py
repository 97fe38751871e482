"""What scores are compared with.

`own_claim` is what was promised, and its test; `evidence` is where the claim fails, `comparison`
has the references as well, and `former` reads settings of earlier versions.
"""
