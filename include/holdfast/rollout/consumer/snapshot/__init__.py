"""The Snapshot of a consumer group."""
