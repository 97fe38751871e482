"""How requests come and answers go: proxies, origins, headers.

- `proxy` says who sent a request that a proxy forwarded.
- `origins` are the addresses under which browsers may use the server.
- `headers` has what every answer says.
"""
