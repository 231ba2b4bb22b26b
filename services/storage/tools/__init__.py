"""Python tools that people have stored, with their versions."""
