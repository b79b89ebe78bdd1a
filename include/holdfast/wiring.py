"""Airflow connections and command-line options → adapters → workflows. The only module that knows all three."""
