"""The few Protocols that the workflows need. Each has a fake that passes the same tests as the real adapter (tests/contract)."""
