"""The Forecast: Kafka's decisions about a Change to a consumer group."""
