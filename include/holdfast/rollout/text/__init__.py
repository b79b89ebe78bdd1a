"""Numbers, names, lists and documents as text. Knows nothing of groups."""
