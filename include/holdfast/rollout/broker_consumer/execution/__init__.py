"""What follows from a plan: apply, verify, drift."""
