"""A group between two rebalances: who is there, what they report, what is unavailable. Events change it."""
