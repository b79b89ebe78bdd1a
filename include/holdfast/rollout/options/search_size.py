"""How much work a search may be before Spark is worth starting for it. Each kind of group estimates its own."""

SMALL = 400_000
"""A search of this much work takes some ten seconds of one core; starting Spark alone takes longer."""
TRIED = 25 * SMALL
"""A search of at most this much work is begun without Spark: the estimate may be 25 times too high (50 clients with 500 tasks, once
machine code is on the disk), or ten times too low, and what is done of it counts. Beyond that a single option may take longer than
Spark takes to start."""
