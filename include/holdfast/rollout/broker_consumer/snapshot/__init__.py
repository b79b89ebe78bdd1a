"""The observed group."""
