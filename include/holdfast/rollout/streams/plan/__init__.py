"""The Plan: created from evaluated options, written, read and rendered."""
