"""The steps of a plan. All are manual."""
