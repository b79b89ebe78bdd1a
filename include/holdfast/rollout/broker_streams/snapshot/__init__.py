"""The Snapshot of a streams group whose broker assigns."""
