"""Tools of maintainers: `matrix` says what is tested with which versions, `release` builds.

They are no part of the package. ``requirements.txt`` has what they need, in an environment of its
own: nox needs a newer attrs than dp-accounting takes.
"""
