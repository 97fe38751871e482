"""What the server answers: documents, their sockets, files and downloads.

`document` has the handlers of a document and its socket, `downloads` those of what people keep,
`exports` that of saved audits as files, `static` those of the files that browsers load. A `desk`
makes what takes seconds. `visitors` knows who sees which data sets. A `connection` is an open
document, a `channel` its socket.
"""
