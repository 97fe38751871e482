"""The file that a server follows, as a data set: its `source`, and its `data`, which are lent."""
