"""The public names: each is imported on first use; type checkers read this file."""

from .plugins import PluginWarning as PluginWarning
from .plugins import plugins as plugins
