"""One outside library each, behind a port."""
