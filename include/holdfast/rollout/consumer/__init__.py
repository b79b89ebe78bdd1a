"""Consumer groups (without Kafka Streams), from Snapshot to Verdict, with the same folders as Kafka Streams groups."""
