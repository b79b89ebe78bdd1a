"""What the pages show of each kind of group: registry.py, one line per kind."""
