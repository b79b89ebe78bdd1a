"""A made-up kind of group: lamps that are lit. It shows that a kind is its own code and one line in each registry."""
