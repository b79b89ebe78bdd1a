"""Problems of process-ID order that a single snapshot shows."""
