"""Applying a plan for a consumer group, and comparing its forecast with the outcome."""
