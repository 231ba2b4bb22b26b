"""Show, export and erase the data stored about people."""
