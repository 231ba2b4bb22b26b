"""Source of tools that people have written, kept with its versions."""
