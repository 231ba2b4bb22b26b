"""Skills: folders with instructions that a model loads when a task needs them."""
