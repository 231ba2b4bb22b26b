"""Parse calls that a model prints as text, and filter the text for the chat."""
