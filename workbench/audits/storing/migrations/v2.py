"""Version 2: imported audits are marked, and keys of purged audits are not given again.

Version 1 did not note that an audit was imported, so its rows have null there: neither is known.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("audits", sa.Column("imported", sa.Text))
    op.add_column("audits", sa.Column("imported_by", sa.Text))
    op.create_table("purged", sa.Column("key", sa.Text, primary_key=True))
