"""The order of process IDs: who stands where, what a new ID does to it, and which IDs keep it."""
