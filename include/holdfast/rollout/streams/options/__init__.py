"""The options for a change to a Kafka Streams group, and their cost."""
