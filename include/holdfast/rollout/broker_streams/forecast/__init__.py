"""The Forecast: the targets that the coordinator computes, one after the other."""
