"""Turn messages into calls and results: tools, validation and the loop, for any chat platform."""
