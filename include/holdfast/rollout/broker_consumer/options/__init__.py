"""The options for a change to a consumer group whose broker assigns, and their cost."""
