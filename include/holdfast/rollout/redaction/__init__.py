"""A group without its names: what stands for each, so that Kafka decides as before; for every kind of group."""
