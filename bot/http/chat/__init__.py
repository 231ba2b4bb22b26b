"""Routes and the socket of the chat."""
