"""Real parts for the tests: published jars, a broker, Streams applications. What is missing is said, never skipped."""
