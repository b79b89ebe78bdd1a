"""Rows of the lake's tables, and the nightly report on the fleet."""
