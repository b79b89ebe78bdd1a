"""The effect of losing any host of a group whose broker assigns."""
