"""Open documents and their sockets.

- A `connection` is an open document, a `channel` its socket; `late` are those whose sockets come
  late.
- `gestures` reads what sockets bring, and bounds how much.
"""
