"""The HTTP API, the sockets of the web room and the page. Imported only where the extra `web` is installed."""
