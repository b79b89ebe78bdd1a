"""Consumer groups without Kafka Streams: from a Snapshot to a Verdict, in the same folders."""
