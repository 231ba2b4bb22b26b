"""Whose certificates are trusted; read once, since reading them takes longer than a request."""

import ssl
from functools import cache


@cache
def trusted(*, trust_environment: bool = True) -> ssl.SSLContext:
    """What clients of httpx check servers with; `trust_environment` takes SSL_CERT_FILE and SSL_CERT_DIR where set."""
    import httpx

    return httpx.create_ssl_context(trust_env=trust_environment)
