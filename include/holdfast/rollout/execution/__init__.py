"""Applying and verifying a plan, for every kind of group: the values."""
