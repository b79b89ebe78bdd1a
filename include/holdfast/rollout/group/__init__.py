"""What every kind of group has: the values of its documents, what a kind says of itself, differences between documents."""
