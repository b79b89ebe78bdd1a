"""What Kafka will do about a Change, rebalance by rebalance."""
