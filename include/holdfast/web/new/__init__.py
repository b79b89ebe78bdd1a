"""The form that asks for a plan, and the run that makes it."""
