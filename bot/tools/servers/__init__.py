"""Tool servers (OpenAPI and MCP): connections, credentials, listings and calls."""
