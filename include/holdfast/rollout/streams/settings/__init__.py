"""The doctor of settings for a Streams group whose leader assigns: what its rules look at, and its prices."""
