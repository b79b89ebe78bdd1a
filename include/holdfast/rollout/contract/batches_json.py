"""Bounds of a Change's JSON that hold for every kind of group."""

MOST_EVENTS = 10_000


MOST_PARTITIONS = 100_000
