"""Functions and objects of any interface as mechanisms: `mechanism_from`.

- `adapt`: `mechanism_from`, and what it recognizes; `adapted`: `AdaptedMechanism`, its result.
- `calls`: the call forms, and how a function of each is run many times; `signatures` reads the
  form from parameter names, annotations and defaults, or asks.
- `randomness`: the generators that a mechanism was not given, seeded for a call.
- `measurements`: objects that state domain, metric and privacy map, such as those of OpenDP;
  `releases`: objects with a method that releases, such as those of diffprivlib and DP-Sniper.

No other library is imported: its objects are known by the attributes that they have.
"""
