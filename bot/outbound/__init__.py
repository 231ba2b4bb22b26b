"""What happens to a message on its way out."""
