"""Turn the reading of a request into calls, for each intent."""
