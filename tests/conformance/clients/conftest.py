"""The JVMs are those of the folder for Streams, one for each release."""

from tests.conformance.streams.conftest import jvm

__all__ = ["jvm"]
