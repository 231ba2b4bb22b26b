"""Export and import all data of chats and people as lines of a file."""
