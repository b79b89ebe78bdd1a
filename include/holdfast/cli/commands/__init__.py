"""One command each."""
