"""Which versions of Holdfast write into a lake."""
