"""Version 1: audits, plans and series, and their triggers.

A new database is made in the newest version at once.
"""

from __future__ import annotations

revision = "1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing: the migrations begin here."""
