"""Streams groups whose broker assigns, as a kind of group."""
