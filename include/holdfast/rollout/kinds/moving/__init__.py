"""A classic Streams group that becomes a streams group: the values of one kind as those of the other."""
