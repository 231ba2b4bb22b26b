"""Reference pages made from the code, so that they are never behind it."""
