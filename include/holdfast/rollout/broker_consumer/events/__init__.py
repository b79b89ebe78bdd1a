"""The events of a Change: what members, topics and configs do."""
