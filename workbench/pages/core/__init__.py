"""What every page is made of.

`page` has the base class and the decorators of its methods. It builds on `state` (parameters and
cached results). A page has parts: `part`; one of them is `jobs` (long work with progress and
cancel). `settings` are the state as JSON.
`sliders` has the range and the step of a number's control, `upload` the parameters of files that
come and of files that a page offers,
`notice` that of a button for notifications, `value_selector` that of a choice which is kept by its
value, `shared` the results that visitors share, `stored` those that were computed in advance.
`session`, `gestures` and `queue` connect a page to any front end.
"""
