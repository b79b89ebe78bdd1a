"""What a snapshot alone already shows about the order of process IDs."""
