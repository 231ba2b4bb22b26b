"""The composition root: builds and runs a bot from its settings."""
