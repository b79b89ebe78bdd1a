"""Courses of many rebalances on arrays of numbers, compiled: the decisions of `kafka.streams.compiled`, and what members report next.

The same as `Stage` works out rebalance by rebalance, with which the tests compare it (docs/decisions/0048).
"""
