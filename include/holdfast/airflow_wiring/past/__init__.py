"""Past rebalances, judged every night, and the score that a plan begins with."""
