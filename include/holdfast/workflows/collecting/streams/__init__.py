"""Collecting a Kafka Streams group whose leader assigns."""
