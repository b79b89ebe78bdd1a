"""The Plan: made from evaluated options, written, read, and shown to a person."""
