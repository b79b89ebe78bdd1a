"""The steps of a plan for a consumer group. All are manual."""
