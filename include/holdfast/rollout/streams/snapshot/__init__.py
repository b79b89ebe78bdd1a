"""What a Kafka Streams group looked like at one moment, and what follows from that alone."""
