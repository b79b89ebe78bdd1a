"""The teams of a deployment, as tasks and pages read them, and what they let a run do."""
