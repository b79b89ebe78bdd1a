"""The doctor of settings for a consumer group: what its rules look at, and its prices."""
