"""Tool servers for tests: FastAPI applications, called in the process or served on a loopback port."""
