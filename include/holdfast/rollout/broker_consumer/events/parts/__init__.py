"""What several events have in common."""
