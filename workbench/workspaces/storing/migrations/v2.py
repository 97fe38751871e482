"""Version 2: what was shown of which data is kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "seen",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("sketch", sa.Text),
    )
