"""What an option costs a consumer group whose broker assigns."""
