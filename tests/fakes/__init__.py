"""Fakes of the ports, each held to the tests of the real thing in tests/contract."""
