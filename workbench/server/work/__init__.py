"""Work in processes that can be killed: jobs of pages, reports and charts.

`runner` has the work done in forks of one process (`workbench.processes`), within the limits of the
server; `job_slots` has who may when. `files` is the work that makes what people download, with the
data sets that it needs (`sent_data`).
"""
