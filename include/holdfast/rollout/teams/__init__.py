"""Which groups belong to which team, and what that lets a user of Airflow see and do."""
