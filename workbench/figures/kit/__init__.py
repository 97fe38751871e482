"""Parts of every chart: `marks` and `axes`, which `layout` puts together in the colors of `theme`.

`legend` draws keys, `dot_rows` charts with one row per method, `log_n_axis` axes of sample sizes,
`scales` the axes of scores and of error rates, `svg` any chart as a picture. `names` has names that
people chose as a chart can show them, `types` the types of all these dicts.
"""
