"""The options for making a change to a consumer group, and how the best one is found."""
