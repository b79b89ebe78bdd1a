"""The sticky assignors: where all subscribe to the same (constrained) and where they do not (general)."""
