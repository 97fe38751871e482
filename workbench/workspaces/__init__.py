"""Data sets that outlive a page: where they came from, how they are read.

- `workspace` is `Workspace`, which pages, notebooks and the command line share. Its `parts` each
  have one subject; what it shows of others is its `shared_data`.
- A `dataset` has its source (`sources`, `draws`) and its `reading`.
- `score_tables` has the data sets that are tables of many records.
- `storing` keeps data sets in memory or on disk, and `home` opens the workspace on this computer's
  disk.
- `trained` is the source of scores of models that the workbench trained.
- `followed` is a file that is followed, as a data set.
- `seen` is what was shown of which data, for all pages and programs on a workspace.
- `planning` stores plans of audits.
- `content` has the hash of tables, `recorded` finds data by it.
- `view` lists data sets, `link` is a page as text for an address, `errors` has what is raised.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
