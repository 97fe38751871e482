"""Rows of a file, or of a folder of parts, that grows while it is read.

`growing_file` is the public class; `batches` what sources hand over, and the errors that end them;
`lines` reads text files and `columnar` parquet files and Arrow streams; `folder` reads folders;
`row_reader` finds the columns of the scores and takes them out.
"""
