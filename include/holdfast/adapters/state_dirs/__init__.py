"""State directories: read, locked, and written without a link being followed."""
