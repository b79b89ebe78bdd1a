"""Brings the plugin where Holdfast is on the path but not installed, as in the Astro image. An installed Holdfast brings it by its
entry point, and Airflow reports a second plugin of one name as an error.
"""

from importlib.metadata import entry_points

if not entry_points(group="airflow.plugins", name="holdfast"):
    from holdfast.airflow_provider.plugin import HoldfastPlugin  # noqa: F401 - Airflow looks for it here
