"""Web chat: several people and the bot in one page, over the HTTP API."""
