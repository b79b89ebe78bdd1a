"""Recorded targets of a streams group whose broker assigns, computed again. `judge.py`: start reading here."""
