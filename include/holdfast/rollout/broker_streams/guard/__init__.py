"""What the next target of a group whose broker assigns moves, whatever raises its epoch."""
