"""Version 3: what was promised of a data set is kept with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nothing was promised of older data sets."""
    op.add_column("datasets", sa.Column("claim", sa.Text, nullable=False, server_default=""))
