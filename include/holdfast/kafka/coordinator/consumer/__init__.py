"""Consumer groups of the new protocol (KIP-848): the target that the coordinator computes (`target.assign`: start reading here)."""
