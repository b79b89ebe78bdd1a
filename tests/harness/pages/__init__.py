"""What tests of the pages need: a real Airflow, a browser, a mail server, a lake with plans in every state."""
