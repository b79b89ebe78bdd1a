"""The leader's decision in a consumer group, release by release: range, roundrobin, sticky, cooperative-sticky."""
