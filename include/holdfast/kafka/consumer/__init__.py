"""A plain consumer group as its leader assigns it, release by release: range, roundrobin, sticky, cooperative-sticky."""
