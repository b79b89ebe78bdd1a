"""The Change: what the operator wants to do to a streams group whose broker assigns."""
