"""The MCP server of the bot."""
