"""The rules, by theme; each is one declared value. `holdfast.rollout.settings.table` has all of them."""
