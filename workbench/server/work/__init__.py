"""Work in processes that can be killed: jobs of pages, reports and charts.

`runner` has the work done and brings back progress and result. It waits for a place (`places`),
takes a process from the `template`, and talks to it by `messages`. In the other processes:
`forking` is the one that all others are forks of and that ends them at their limits, `worker` does
the work of one. `files` has the work that makes what people download, of data sets that are
`carried` there.
"""
