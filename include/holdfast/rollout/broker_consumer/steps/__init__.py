"""The steps of a plan for a consumer group whose broker assigns. All are manual."""
