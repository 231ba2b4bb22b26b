"""What people may ask about their own data: not to be kept, to be forgotten, to be given."""
