"""What a `Workspace` has, each part on one subject.

- `storage` is where everything is kept, and how much may be; `cache` holds what was read from it.
- `catalog` is which data sets there are, and `data_reader` gives their scores.
- `kept_data` adds data sets and changes them, `active` is the one in view.
- `changes` calls listeners, `openings` is when data were opened for the first time.
- `page_states` has the settings of pages, `page_files` the files that pages use.
"""
