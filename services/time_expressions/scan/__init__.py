"""Cut a text into tokens: words, figures and numerals."""
