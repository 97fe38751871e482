"""The steps from each version of the server's database to the next, for Alembic: `versions`."""
