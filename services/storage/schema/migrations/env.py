"""Run migrations for Alembic in the connection and transaction of the caller."""

from alembic import context

from services.storage.tables.base import StoredTable

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=StoredTable.metadata,
    render_as_batch=True,  # SQLite changes a column by copying its table
)
with context.begin_transaction():
    context.run_migrations()
