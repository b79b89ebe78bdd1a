"""A group of any kind without its names, to share."""
