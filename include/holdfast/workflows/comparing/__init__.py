"""Comparisons of protocols in the lake."""
