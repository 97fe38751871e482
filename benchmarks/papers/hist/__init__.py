"""Items of HIST.

- `definitions`: §2, §6 and Appendix C, with identities.
- `subsampled`: Figures 1, 2, 3, 5, 6 and 13.
- `estimation`: §4 and Figure 4.
- `one_parameter`: §7 with Figures 7 and 14, also for TV.
- `random_canaries`: §8 and Appendix G.
- `black_box`: Figures 8 to 10, 10,000 models on each side.
- `white_box`: Figures 11 and 12.
"""

from benchmarks.papers.hist import (
    black_box,
    definitions,
    estimation,
    one_parameter,
    random_canaries,
    subsampled,
    white_box,
)

ITEMS = (
    *definitions.SECTION,
    *subsampled.FIRST,
    *estimation.SECTION,
    *subsampled.ESTIMATES,
    *definitions.THRESHOLDS,
    *one_parameter.SECTION,
    *random_canaries.SECTION,
    *black_box.ITEMS,
    *white_box.ITEMS,
    *subsampled.LAST,
    *one_parameter.FIGURE,
    *definitions.APPENDIX,
    *random_canaries.APPENDIX,
)
