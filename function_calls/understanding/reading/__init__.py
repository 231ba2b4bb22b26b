"""Read what a message asks for with a trained network: intent, slots and times."""
