"""The Plan for a consumer group whose broker assigns: created, written, read and rendered."""
