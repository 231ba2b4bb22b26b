"""Load the trusted TLS certificates once, since loading takes longer than a request."""

import ssl
from functools import cache


@cache
def trusted_certificates(*, trust_environment: bool = True) -> ssl.SSLContext:
    """Return what every client checks servers with: the system's list, and so an office's own authority.

    `trust_environment` takes SSL_CERT_FILE and SSL_CERT_DIR in its place where they are set.
    """
    import httpx2

    return httpx2.create_ssl_context(trust_env=trust_environment)
