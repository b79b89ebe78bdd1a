"""What an option costs: how long partitions have no owner."""
