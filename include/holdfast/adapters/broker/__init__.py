"""Requests to Kafka brokers, through kafka-python."""
