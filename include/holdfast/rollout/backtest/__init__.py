"""Past rebalances decided again by the model: what was judged, what was not and why, and the score. For every kind of group."""
