"""What Holdfast does, step by step, over ports: collect, forecast, plan, apply, verify. No outside library is named here."""
