"""How long a rollout takes: the one model of time, and its words."""
