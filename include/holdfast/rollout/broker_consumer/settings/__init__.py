"""The doctor of settings for a consumer group whose broker assigns: what its rules look at, and its prices."""
