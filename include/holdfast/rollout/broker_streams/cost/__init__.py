"""What an option costs a streams group whose broker assigns."""
