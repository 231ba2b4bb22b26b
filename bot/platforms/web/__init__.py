"""The web room: several people and the bot in one page, over the HTTP API's own protocol."""
