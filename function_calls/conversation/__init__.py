"""Answer messages: the assistant, its loop, agents and records."""
