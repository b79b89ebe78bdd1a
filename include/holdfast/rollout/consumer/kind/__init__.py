"""A consumer group as a kind of group: what is asked of a group whose kind is unknown."""
