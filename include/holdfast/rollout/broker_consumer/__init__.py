"""Consumer groups whose broker assigns (KIP-848)."""
