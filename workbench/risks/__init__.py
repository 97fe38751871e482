"""What an attacker could do with a release: limits of success, promised and demonstrated.

`risk` has `workbench.risk` and its result; `attacks` the kinds of attack and what each limit needs
to be true; `promise` what a claim allows, `success` the numbers of one pair, `evidence` what scores
and bounds show; `plain_words` the sentences, for people who know no statistics.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
