"""What an examination of the bot finds, and how it asks; platforms examine themselves with it."""
