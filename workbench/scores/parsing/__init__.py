"""From a file to a `DataTable`: a reader per format, in a process with limits.

`source` has `read_table`, for paths, content and DataFrames. `formats` chooses the reader: `text`
(csv, tsv; `text_columns` parses it in parts of rows, `cells` its numbers), `arrays` (npy, npz),
`frames` (parquet, feather, arrow), `records` (json; `reports` finds the scores in nested ones),
`arrow_lists` (shards of Hugging Face data sets). `reading_process` runs it in a process of its own,
within `limits` (`reader` inside it, `table_bytes` between the two), also for files that are read a
batch at a time.
"""
