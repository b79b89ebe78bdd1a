"""Spark: the session, its file operations, and the zip that travels to executors."""
