"""The pages of consumer groups whose broker assigns."""
