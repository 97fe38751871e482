"""DP Audit Workbench: what the scores of a privacy audit prove, and with which guarantee.

Load the scores of runs with the record (P) and without it (Q), and ask for bounds::

    import workbench as wb

    s = wb.example("subsampled-gaussian")
    wb.epsilon_lower_bound(s, delta=1e-5)

The public names are listed in ``__init__.pyi`` and imported on first use, so that
``import workbench`` costs little more than numpy.
"""

from workbench import _names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _names.attach(__name__)
