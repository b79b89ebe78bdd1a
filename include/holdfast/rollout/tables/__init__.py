"""Rows for the lake's tables, and the morning's page about the whole fleet."""
