"""Where consumers go on that take a partition over, for every kind of consumer group."""
