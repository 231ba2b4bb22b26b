"""Everything of some chats and people as a file, and back: from reminders and history to the record of calls."""
