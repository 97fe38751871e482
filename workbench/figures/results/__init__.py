"""Charts of single results, as their methods ``plot`` and ``figure`` draw them.

`charts` has the kinds of charts of each result, `overlaid` puts several results into one chart, and
`doors` makes what programs and notebooks take: plotly's figures, and still pictures.
"""
