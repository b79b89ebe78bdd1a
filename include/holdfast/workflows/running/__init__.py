"""A run: it carries out a whole approved plan by itself, and stops before the next act where reality leaves the forecast."""
