"""From a file to a `DataTable`: a reader per format, in a process with limits.

`source` has `read_table`, for paths, content and DataFrames. `formats` chooses the reader: `text`
(csv, tsv; `text_columns` parses it in parts of rows, `cells` its numbers), `arrays` (npy, npz),
`frames` (parquet, feather, arrow), `json_documents` (json), `arrow_lists` (shards of Hugging Face
data sets). `compressed` unpacks what is in a gz, bz2, xz, zst or zip, and `roc_points` makes
the groups of a ROC curve. `reading_process` reads in a process of its own, within `limits`
(`reader` inside it, `table_bytes` between the two), also files that are read a batch at a time.
"""
