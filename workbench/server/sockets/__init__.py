"""Open documents and their sockets.

- `documents` are those that were sent, until their sockets come; a `connection` is an open one, a
  `channel` its socket.
- `gestures` reads what sockets bring, and bounds how much.
"""
