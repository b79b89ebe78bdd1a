"""What the deploys of one group cost under each protocol that it could have: the protocol advisor."""
