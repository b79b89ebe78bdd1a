"""What a streams group whose broker assigns looked like at one moment."""
