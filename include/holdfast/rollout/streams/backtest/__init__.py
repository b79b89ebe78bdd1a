"""Recorded rebalances of a classic Streams group, decided again and forecast again. `judge.py`: start reading here."""
