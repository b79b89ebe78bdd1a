"""What a consumer group looked like at one moment."""
