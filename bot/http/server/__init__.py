"""The HTTP server and the limits of its connections."""
