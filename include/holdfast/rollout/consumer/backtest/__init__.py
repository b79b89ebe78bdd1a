"""Recorded rebalances of a consumer group whose members assign, decided again. `judge.py`: start reading here."""
