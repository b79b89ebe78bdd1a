"""The time between two turns of a run in Airflow."""

BETWEEN_TURNS_S = 15
"""Airflow waits so long; much less than a lease holds."""
COUNTED_S = 120
"""The most that counts as waited for between two turns, however late the second one comes."""
