"""Streams groups whose broker assigns, on the pages."""
