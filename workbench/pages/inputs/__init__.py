"""Settings that several pages share, as mixins of parameters, and the Python that shows them.

`settings` has δ, the confidence and the mark for choices made after looking; `asked` is the
quantity that an audit fixes in advance; `seen_words` has texts on data that were seen before.
`pair` and `reference` choose distributions, `claim` a claim, `data` a data set of the workspace.
`score_source` is the base of pages about one data set, `plan_choice` that of those whose audit may
follow a plan, and `plan_writing` that of a page that stores plans. `scores` chooses two data sets;
`direction` asks about the direction of the score. `code` writes the Python that a page shows,
`spec` is its state as plain values.
"""
