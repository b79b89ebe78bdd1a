"""The Snapshot of a Kafka Streams group, and what follows from it alone."""
