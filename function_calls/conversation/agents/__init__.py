"""Run agents, which have their own instructions, model and tools, and can transfer turns to each other."""
