"""Run agents: instructions, a model and tools of their own, which hand turns to each other."""
