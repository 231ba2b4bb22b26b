"""Web rooms: membership, history, events and calls."""
