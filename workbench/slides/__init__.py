"""Notebooks as slides, in one HTML file that needs no network.

`deck` runs a notebook and writes its slides; `outputs` prepares what its cells show. The folder
``deck`` has their template, style and script; reveal.js is in ``assets/browser/vendor``.
"""
