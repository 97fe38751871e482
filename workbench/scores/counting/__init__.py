"""Scores that are known by their counts: more of them than memory holds.

`counted` is `CountedScores`, the `workbench.Scores` of distinct values with their counts.
`one_pass` counts the rows of files, which it does where they are `large`. `part_files` are those of
a path; `row_sources` is what a file must do, which `binary_rows` and `text_rows` implement; `sides`
takes a batch of rows apart, `grid` has the cells, and `tally` the counts. `piece` counts one file,
here or, with `cluster`, on the workers of a cluster, while the next rows are read (`prefetch`);
`in_process` counts in a process of its own.
"""
