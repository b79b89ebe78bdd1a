"""What is meant for a plain consumer group, and what Kafka will do about it: the same questions as for Kafka Streams."""
