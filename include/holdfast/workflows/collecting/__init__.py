"""Collecting snapshots: one group or a whole fleet."""
