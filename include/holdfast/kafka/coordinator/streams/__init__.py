"""Streams groups of the new protocol (KIP-1071): the target that the coordinator computes (`sticky.assign`)."""
