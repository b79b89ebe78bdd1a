"""What the clients of an application are configured with, release by release."""
