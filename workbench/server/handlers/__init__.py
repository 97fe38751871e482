"""What the server answers: documents, their sockets, files and downloads.

- `base` has what all handlers have in common.
- `document` has the handlers of a document and its socket.
- `downloads` has those of what people keep, `exports` that of saved audits as files.
- `explorables` has that of explorables.
- `static` has those of the files that browsers load.
- `sign_in` has those of signing in and out.
- `shared` has those of links, by which people share without sign-in.
- `operations` has those of programs that watch the server.
- `oauth` has those of signing in with an account elsewhere.
"""
