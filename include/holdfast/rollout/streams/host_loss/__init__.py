"""The effect of losing any host of a group."""
