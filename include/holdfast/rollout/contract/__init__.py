"""Values that plans and verdicts of every kind of group share."""
