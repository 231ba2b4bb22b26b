"""The log of turns and tool calls, with their model usage and its budgets."""
