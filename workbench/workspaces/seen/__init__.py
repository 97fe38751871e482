"""What was shown of which data, for everything that uses a workspace.

`memory` has `SeenData`, which pages, the command line and plans ask. It keeps a `record` of each
data set, known by the ranks of its scores (`identity`), and recognizes most of its rows by a
`sketch`.
"""
