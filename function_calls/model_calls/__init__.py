"""Ask a language model for calls: styles, prompts, and checks of its answers."""
