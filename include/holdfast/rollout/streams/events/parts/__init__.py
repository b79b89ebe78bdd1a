"""What several events share: their fields, the clients that they start, the members of a client."""
