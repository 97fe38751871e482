"""What every page is made of.

`page` is the base class and its decorators, `jobs` is long work with progress and cancel, `sliders`
the range and step of a number's control, `shared` results that visitors share.
"""
