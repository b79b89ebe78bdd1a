"""What groups whose broker assigns have in common: members, targets and heartbeats, whatever is assigned."""
