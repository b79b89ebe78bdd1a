"""What Kafka will do about a Change to a consumer group."""
