"""Parse the URL of a database."""

import sqlalchemy as sa

from services.kernel.errors import ConfigError


def parsed(url: str) -> sa.URL:
    """Parse `url`.

    Raises:
        ConfigError: it is no address of a database; what it says is not repeated, since it may hold a password.
    """
    try:
        return sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        problem = "is not a database URL such as postgresql://user:password@host/name"
        raise ConfigError("settings", "storage.url", problem) from error
