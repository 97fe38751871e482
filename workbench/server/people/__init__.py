"""The people that a server knows: who they are, what they may do, and how they show it.

- A `person` is somebody who uses the server, with a role.
- An `identity` tells who sent a request: visitors by a cookie.
- `signed_in` is the identity of people with accounts.
- `owner` has the browsers of the owner of the workspace on this computer.
- `accounts` are the people who may sign in, and `sign_ins` the browsers in which they did.
- `checking` is how passwords are checked.
- `cookies` are what browsers keep.
- `forms` have what shows that they are ours.
- `oauth` has the steps of signing in with an account elsewhere, `providers` what is asked there.
"""
