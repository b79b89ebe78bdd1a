"""Applying a plan for a consumer group whose broker assigns, and comparing its forecast with the outcome."""
