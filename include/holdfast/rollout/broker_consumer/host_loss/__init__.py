"""The effect of losing any consumer of a group whose broker assigns."""
