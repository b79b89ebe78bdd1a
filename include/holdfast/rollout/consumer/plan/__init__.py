"""The Plan for a consumer group: created, written, read and rendered."""
