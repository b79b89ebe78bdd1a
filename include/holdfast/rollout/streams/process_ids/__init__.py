"""Process-ID order: the rank of each client, the effect of a new ID, and IDs that keep the order."""
