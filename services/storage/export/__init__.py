"""Export and import everything of some chats and people as lines of a file."""
