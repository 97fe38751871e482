"""Version 1: people, their sign-ins, and what is shared."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "people",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("folded", sa.Text, unique=True, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("password", sa.Text),
        sa.Column("provider", sa.Text),
        sa.Column("subject", sa.Text),
        sa.Column("created", sa.Double, nullable=False),
        sa.UniqueConstraint("provider", "subject"),
    )
    op.create_table(
        "sign_ins",
        sa.Column("id_hash", sa.Text, primary_key=True),
        sa.Column(
            "person",
            sa.Text,
            sa.ForeignKey("people.key", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("used", sa.Double, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
    )
    op.create_table(
        "shares",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("token_hash", sa.Text, unique=True),
        sa.Column("owner", sa.Text, nullable=False, index=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("to_kind", sa.Text, nullable=False),
        sa.Column("to_person", sa.Text, index=True),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires", sa.Double),
        sa.Column("revoked", sa.Double),
        sa.Column("opened", sa.Integer, nullable=False),
    )
