"""Claims about the privacy loss of a mechanism: what they imply, allow, and what refutes them.

`base` says what a `Claim` is, `fields` what it may be about beside its numbers, `parse` lists all
claims and reads them from text. One module each:
`approx` (ε, δ)-DP, `pure` ε-DP, `renyi` Rényi DP, `gdp` μ-GDP, `zcdp` zCDP, `pair` a pair as
claim (f-DP), `unclaimed` no claim.

To add a claim to the workbench, read `base` and `renyi`; write a class in a new module and list
it in `parse.CLAIMS`.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
