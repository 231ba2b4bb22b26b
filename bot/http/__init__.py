"""HTTP API, WebSockets of the web chat and page; imported only if the extra `web` is installed."""
