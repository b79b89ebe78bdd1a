"""The classic Streams protocol: what the leader of a group decides in one rebalance (`leader.assign`)."""
