"""The testers by kind.

`base` says what a tester is, `registry` has them by name. `hockey_stick` and `histogram` count one
event (`event_tester`, `events`); `renyi` and `mmd` bet on two means (`mean_bets`, and `detectable`
for the least leak that they would have found).
"""
