"""One external library each, behind a port."""
