"""What this kind of group answers to `rollout/group/`."""
