"""The tables of the first version: there is nothing older to come from, so there is nothing to do."""

revision = "1"
down_revision = None


def upgrade() -> None:
    """Databases of this version were made whole."""
