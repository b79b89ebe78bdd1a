"""The task and the form of `compare_protocols`."""
