"""Everything of some chats and people as a file, and back: reminders, memories, history, settings."""
