"""Read what a message asks for with trained linear models: intent, slots and times."""
