"""OpenTelemetry spans and metrics; imported only where the settings name a collector."""
