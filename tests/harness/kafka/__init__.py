"""Real parts of Kafka: published jars, brokers, applications; and bytes like theirs."""
