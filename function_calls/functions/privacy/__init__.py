"""The functions about people's own data: what is kept, how it is handed over and erased."""
