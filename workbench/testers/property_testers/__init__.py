"""The testers by kind.

- `base`: what a tester is; `registry`: the testers by name.
- `hockey_stick` and `histogram` count one event (`event_tester`, `events`).
- `renyi` and `mmd` bet on two means (`mean_bets`).
- `detectable`: the smallest leak that a tester would have found.
"""
