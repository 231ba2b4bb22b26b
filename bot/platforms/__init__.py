"""Chat platforms; none knows another."""
