"""Applying a plan for a streams group whose broker assigns, and comparing its forecast with the outcome."""
