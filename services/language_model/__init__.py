"""Language models behind the OpenAI-compatible API."""
