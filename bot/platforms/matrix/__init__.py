"""Matrix rooms, through matrix-nio."""
