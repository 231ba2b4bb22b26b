"""Routes of the operator: health, metrics, record and settings."""
