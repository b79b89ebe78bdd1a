"""Numbers, names, lists and documents as text. Independent of groups."""
