"""What Kafka brokers are asked, by kafka-python."""
