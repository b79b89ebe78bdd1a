"""Carrying a plan for a consumer group out, and holding its forecast against what happened."""
