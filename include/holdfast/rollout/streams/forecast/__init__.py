"""The Forecast: Kafka's decisions about a Change, rebalance by rebalance."""
