"""What each subcommand of `bubbles` does; imported only when it is used."""
