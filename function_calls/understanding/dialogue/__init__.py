"""The dialogue with each person, and the decision what to act on."""
