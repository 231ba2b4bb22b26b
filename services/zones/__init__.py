"""Time zones of people and chats, and the words by which people name them."""
