"""Holdfast installed from its wheel, as an administrator does it, into Airflows of the range that it states."""
