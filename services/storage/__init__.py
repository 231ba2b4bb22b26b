"""The tables and the repositories over them; the only package that uses SQL."""
