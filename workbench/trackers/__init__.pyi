"""The public names of `workbench.trackers`: each is imported on first use."""

from .log import LogReceipt as LogReceipt
from .log import flush as flush
from .log import log as log
