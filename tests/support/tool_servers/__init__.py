"""Small tool servers for tests: FastAPI applications, to be called in process or served on a loopback port."""
