"""Create, migrate and back up the tables of a database."""
