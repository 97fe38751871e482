"""How requests come and answers go: connections, proxies, origins, headers.

- `rates` bounds how often something may be done, by a key or a network.
- `connections` bounds how many are open.
- `proxy` says who sent a request that a proxy forwarded.
- `origins` are the addresses under which browsers may use the server.
- `headers` has what every answer says.
"""
