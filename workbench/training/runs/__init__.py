"""Running audits that train: in processes, resumable, written to a folder as they go.

`run` trains the models of a `TrainingAudit`, and `TrainingRun` is what came out; `tasks` spreads
the models over an executor, and `trained_models` are some of them with their rows. `plan` is what a
run is repeated from, and its file; `toml_text` writes it and finds its lines, `bundled` names those
that come with the package; `gallery` has finished runs that do. `folder` is a run on disk, with a
`file_lock`; `result_file` writes the scores for all readers, and `whole_file` files that are
complete or not there.
"""
