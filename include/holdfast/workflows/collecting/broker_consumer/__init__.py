"""Snapshots of consumer groups whose broker assigns."""
