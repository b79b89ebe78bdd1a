"""What plans, forecasts and verdicts say, as values; the words are made from them last."""
