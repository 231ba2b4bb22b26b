"""Values and utilities that every service uses."""
