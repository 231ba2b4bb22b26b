"""The log of turns, tool calls, and the model usage of each."""
