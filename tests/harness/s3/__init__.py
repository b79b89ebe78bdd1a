"""Real servers of S3's protocol."""
