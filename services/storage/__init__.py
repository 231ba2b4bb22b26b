"""Store data in SQLite or PostgreSQL: engine, tables and repositories. No other package uses SQL."""
