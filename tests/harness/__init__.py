"""Real parts for the tests: published jars, a broker, Streams applications. Missing parts are failures, never skipped."""
