"""From a message to an answer: the assistant, its loop, agents and records."""
