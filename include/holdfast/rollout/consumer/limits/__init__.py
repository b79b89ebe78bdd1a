"""What a team's policy says about one option."""
