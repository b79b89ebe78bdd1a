"""The time model: how long a rollout takes, and its texts."""
