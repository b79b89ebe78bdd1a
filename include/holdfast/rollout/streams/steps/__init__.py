"""The steps of a plan: their actions, text and JSON."""
