"""Consumer groups whose leader assigns, on the pages."""
