"""Groups whose broker assigns: what the group coordinator decides, release by release. `streams`: KIP-1071, `consumer`: KIP-848."""
