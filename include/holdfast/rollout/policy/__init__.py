"""A team's policy: its limits, its hours, and how requests tighten it."""
