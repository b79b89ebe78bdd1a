"""Courses of many rebalances on arrays of numbers, compiled: decisions of `kafka.streams.compiled`, and members' reports.

The same as `Stage` works out rebalance by rebalance, with which the tests compare it (docs/decisions/0048).
"""
