"""What the loss of any one host would do to a group."""
