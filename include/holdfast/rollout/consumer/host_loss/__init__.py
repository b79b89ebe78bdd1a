"""What the loss of any one consumer would do to its group."""
