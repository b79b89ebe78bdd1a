"""The Change: what the operator wants to do to a consumer group."""
