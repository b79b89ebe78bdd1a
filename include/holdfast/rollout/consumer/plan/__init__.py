"""The Plan for a consumer group: made, written, read, and shown to a person."""
