"""Request calls from a language model: call styles, prompts, and parsing of answers."""
