"""The steps of a plan: a closed set of actions, their words and their JSON."""
