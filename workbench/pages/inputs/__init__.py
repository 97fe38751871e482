"""Parts that several pages have, and the Python that shows them.

`settings` has δ, the confidence and the mark for choices made after looking; `asked` is the
quantity that an audit fixes in advance; `seen_words` has texts on data that were seen before.
`pair`, `reference` and `known` choose distributions, `claims` what is claimed, `data` a data set of
the workspace.
`score_source` has the scores that a page is about, `plan_choice` the plan that an audit follows,
and `plan_writing` the fields of a plan that is stored. `scores` chooses two data sets;
`direction` asks about the direction of the score. `code` writes the Python that a page shows,
`spec` is its state as plain values.
"""
