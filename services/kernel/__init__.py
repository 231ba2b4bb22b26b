"""Values and small tools that every service uses."""
