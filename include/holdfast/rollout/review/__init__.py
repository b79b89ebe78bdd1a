"""A plan as a person reads it: the same parts for every kind of group, and the texts that no kind words for itself."""
