"""What several events share: the consumers that they start, the group that they change, their times."""
