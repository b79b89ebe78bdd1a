"""What other versions of Holdfast wrote: whose it is, and whether this one reads it."""
