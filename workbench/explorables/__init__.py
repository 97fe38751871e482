"""Explorables: one idea each, as an HTML file that needs no network and checks three answers.

`explorable` has the parts of one, and its states; `questions` are those that check themselves;
`registry` lists them all. `scores`, `runs`, `tuning`, `composition` and `families` define them:
they show the pages of the dashboard, or small pages of their own, drawn by the same script.
`document` is the file of one, and `write` makes files; ``explorable.js`` and ``explorable.css`` are
their script and style.
"""
