"""Reader of json: one document, or one on each line.

`document` has `read_json` and `read_json_lines`. `shapes` finds the lists of a document, whichever
way pandas, a tracker of experiments or a person wrote it; `reports` those of one tool's reports.
"""
