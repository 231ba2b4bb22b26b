"""Turn the tagged words of a message into values: contents, people, references and times."""
