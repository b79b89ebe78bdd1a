"""The steps of Holdfast over ports: collect, forecast, plan, apply, verify. No external library is used here."""
