"""JSON, read strictly and written canonically. Knows nothing of groups."""
