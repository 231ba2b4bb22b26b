"""The first version of the tables, without an older one to migrate from."""

revision = "1"
down_revision = None


def upgrade() -> None:
    """Do nothing: databases of this version were created with all tables."""
