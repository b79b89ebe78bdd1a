"""Placing tasks so that less traffic crosses racks (KIP-925): what it costs, and the flow that makes it least."""
