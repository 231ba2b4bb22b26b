"""Settings: their model, sources, secrets and checks."""
