"""Alembic runs this for each upgrade; the connection and its transaction are the caller's."""

from alembic import context

from services.storage.tables.base import StoredTable

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=StoredTable.metadata,
    render_as_batch=True,  # SQLite changes a column by copying its table
)
with context.begin_transaction():
    context.run_migrations()
