"""The steps of a plan for a consumer group: people do all of them."""
