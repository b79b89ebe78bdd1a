"""Kafka Streams groups whose leader assigns: from a Snapshot to a Verdict."""
