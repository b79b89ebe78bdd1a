"""What several events share: the clients that they start, the group that they change."""
