"""The options for a change to a consumer group, and their cost."""
