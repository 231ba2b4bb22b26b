"""Subcommands of `bubbles`; each is imported only when it is used."""
