"""An option checked against the team's policy."""
