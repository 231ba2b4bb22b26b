"""Files of one folder, commands confined to it, and a sub-agent, for the bot's owners."""
