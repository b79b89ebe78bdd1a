"""Applying a plan, and comparing its forecast with the outcome."""
