"""What a maintainer runs: `matrix` says what to test with which versions, `release` builds and checks.

Neither is part of the package. ``requirements.txt`` has what they need, in an environment of its own:
nox needs a newer attrs than dp-accounting takes.
"""
