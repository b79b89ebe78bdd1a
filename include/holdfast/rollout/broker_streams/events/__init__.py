"""The events of a Change to a streams group whose broker assigns, a module each."""
