"""A live audit in a notebook, drawn while the loop runs.

`page` has its numbers and its sentences, `chart` its chart; `widget` shows them, as often as `pace`
allows.
"""
