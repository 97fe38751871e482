"""Version 2: an accepted link is known, and ends what was accepted through it.

Version 1 kept no link beside what was accepted. Data were accepted only while a link of theirs
held, so a person who was given a data set at such a time is taken for one who accepted that link:
the one that held longest, if there were several. The acceptance ends, or has ended, with it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None

#: The moment at which a link ended or will end.
_END = "MIN(links.expires, COALESCE(links.revoked, links.expires))"

_FIND_LINKS = f"""
UPDATE shares SET link = (
    SELECT links.id FROM shares AS links
    WHERE links.to_kind = 'link' AND links.owner = shares.owner AND links.kind = shares.kind
    AND links.key = shares.key AND links.created <= shares.created AND {_END} > shares.created
    ORDER BY {_END} DESC LIMIT 1
) WHERE to_kind = 'person' AND kind = 'data' AND revoked IS NULL
"""

_END_WITH_THEM = """
UPDATE shares SET
    expires = (SELECT links.expires FROM shares AS links WHERE links.id = shares.link),
    revoked = (SELECT links.revoked FROM shares AS links WHERE links.id = shares.link)
WHERE link IS NOT NULL
"""


def upgrade() -> None:
    """Add the column, and fill it where a link can be found."""
    op.add_column("shares", sa.Column("link", sa.Text))
    op.create_index("ix_shares_link", "shares", ["link"])
    op.execute(_FIND_LINKS)
    op.execute(_END_WITH_THEM)
