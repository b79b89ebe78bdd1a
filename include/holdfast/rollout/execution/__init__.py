"""Carrying a plan out and verifying it, whichever kind of group it is for: the values."""
