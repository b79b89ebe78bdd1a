"""Kafka's decisions, release by release. Equal to the JVM's.

The rules of this package: it must equal Kafka, and the published jars of each release are the judge (tests/conformance). It does
no I/O, knows no clock and no chance, and imports nothing but the standard library, so that it travels to any Spark executor.
What a release does that is not modelled here is refused by name (`errors.Unsupported`).
"""
