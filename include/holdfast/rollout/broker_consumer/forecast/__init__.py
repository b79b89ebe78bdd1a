"""What the coordinator computes in answer to a change, target by target."""
