"""The decisions of the default assignor on arrays of numbers, compiled by Numba: the same as `leader`, for many rebalances.

`leader` is the model that is compared with the JVM; this is compared with `leader` (docs/decisions/0048). Without Numba these are
ordinary functions, much slower than `leader`.
"""
