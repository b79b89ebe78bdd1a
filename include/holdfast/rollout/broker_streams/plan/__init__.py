"""The Plan for a streams group whose broker assigns: created, written, read and rendered."""
