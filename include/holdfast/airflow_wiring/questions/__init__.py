"""Questions to people, as Airflow asks them."""
