"""What may happen to a consumer group without Kafka Streams, an event a module: value, effect, words, steps, JSON."""
