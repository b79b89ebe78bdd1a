"""The effect of losing any consumer."""
