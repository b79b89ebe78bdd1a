"""Collecting a consumer group without Kafka Streams whose leader assigns."""
