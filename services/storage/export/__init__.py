"""Everything of some chats and people as lines of a file, and back."""
