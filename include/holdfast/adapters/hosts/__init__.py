"""Hosts that Holdfast reaches: scripts that run there, and what is built on them."""
