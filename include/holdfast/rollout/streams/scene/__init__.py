"""A group between two rebalances: its clients, their reports, what is unavailable. Events change it."""
