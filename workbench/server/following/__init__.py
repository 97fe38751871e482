"""A score file that a server follows for everybody.

`follower` reads it and announces that the claim is refuted; `webhook` announces it elsewhere.
"""
