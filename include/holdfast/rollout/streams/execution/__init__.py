"""Carrying a plan out, and holding its forecast against what happened."""
