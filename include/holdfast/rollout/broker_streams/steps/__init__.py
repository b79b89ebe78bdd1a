"""The steps of a plan for a streams group whose broker assigns. All are manual."""
