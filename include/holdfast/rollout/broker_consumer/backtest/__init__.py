"""The past of consumer groups whose broker assigns: recorded targets, decided again."""
