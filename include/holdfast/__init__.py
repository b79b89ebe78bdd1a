"""Holdfast: where every Kafka Streams task will go, what that costs, and the safest option, before you deploy."""

__version__ = "0.1.0"
