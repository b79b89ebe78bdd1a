"""What each event of a Change does to a group before the rebalance that it triggers. An event is one module."""
