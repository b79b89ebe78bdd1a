"""What the group's coordinator decides: the target assignment."""
