"""What the operator means to do to a Kafka Streams group."""
