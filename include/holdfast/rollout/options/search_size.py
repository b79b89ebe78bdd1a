"""How much work a search may be before Spark is worth starting for it. Each kind of group estimates its own."""

SMALL = 400_000
"""A search of this much work takes some ten seconds of one core; starting Spark alone takes longer."""
