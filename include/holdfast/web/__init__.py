"""The web pages to read and decide plans: what the plugin (`airflow_provider/plugin.py`) mounts in Airflow.

A document of the lake → a view (`*_view.py`: pure, no Airflow) → a template. Only `app`, `access` and `decision` know Airflow.
A page is made anew from the lake each time; what is remembered (summaries, plans, comparisons) never changes.
"""
