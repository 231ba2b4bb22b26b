"""What Bubbles keeps: tables and the repositories over them; the only room that knows SQL."""
