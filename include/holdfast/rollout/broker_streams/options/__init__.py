"""The options for a change to a streams group whose broker assigns, and their evaluation."""
