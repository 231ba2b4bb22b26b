"""Evaluate times, intents, conversations, summaries and tool calls of a language model: `bubbles eval`."""
