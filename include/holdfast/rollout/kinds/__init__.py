"""Whichever kind of group it is: documents, search, differences, history and summaries."""
