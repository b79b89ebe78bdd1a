"""The requested change."""
