"""What was said in each chat, kept and found again."""
