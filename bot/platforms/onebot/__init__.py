"""QQ and others, through a client that speaks OneBot v11."""
