"""Set the time zone and quiet hours of people and chats."""
