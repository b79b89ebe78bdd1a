"""What the group's coordinator decides."""
