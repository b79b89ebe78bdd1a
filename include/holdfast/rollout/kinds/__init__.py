"""Functions for groups of any kind: documents, search, differences, history and summaries."""
