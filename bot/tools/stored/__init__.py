"""Python tools kept in the database: each call runs in a process of its own that can do little else."""
