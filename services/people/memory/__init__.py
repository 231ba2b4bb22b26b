"""What people asked the bot to remember, found again by those who may see it."""
