"""Kafka Streams groups whose leader assigns, on the pages."""
