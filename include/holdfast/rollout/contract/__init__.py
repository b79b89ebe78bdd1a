"""What plans and verdicts have in common, whichever kind of group they are for."""
