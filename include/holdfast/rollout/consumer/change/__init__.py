"""What the operator means to do to a consumer group."""
