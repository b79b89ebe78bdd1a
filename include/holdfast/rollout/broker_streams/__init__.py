"""Kafka Streams groups whose broker assigns (`group.protocol=streams`, KIP-1071)."""
