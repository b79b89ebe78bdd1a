"""What commands print in a terminal."""
