"""What is kept of each turn: recorded, explained and replayed."""
