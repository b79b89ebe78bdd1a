"""Parts of pages that are the same for every kind of group."""
