"""The group as the doctor of settings sees it."""
