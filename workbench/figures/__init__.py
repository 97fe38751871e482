"""A result in, a plain plotly dict out; no front end and no computation here."""
