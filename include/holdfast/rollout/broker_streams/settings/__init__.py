"""The doctor of settings for a Streams group whose broker assigns: what its rules look at, and its prices."""
