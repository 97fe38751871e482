"""Long work on all cores: the public names of `workbench.processes.pool`."""

from workbench.processes.pool import *  # noqa: F403
