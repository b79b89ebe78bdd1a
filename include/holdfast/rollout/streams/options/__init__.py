"""The options for making a change, and how the best one is found."""
