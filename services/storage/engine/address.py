"""Parse the URL of a database."""

import sqlalchemy as sa

from services.kernel.errors import ConfigError


def parse_url(url: str) -> sa.URL:
    """Parse `url`.

    Raises:
        ConfigError: `url` is not a database URL; the message leaves it out, since it may contain a password.
    """
    try:
        return sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        problem = "is not a database URL such as postgresql://user:password@host/name"
        raise ConfigError("settings", "storage.url", problem) from error
