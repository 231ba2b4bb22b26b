"""The tables of tools that people have written."""

import sqlalchemy as sa

from services.storage.columns import METADATA, Big, key, needed

STORED_TOOL = sa.Table(
    "stored_tool",
    METADATA,
    key("id"),
    needed("owner"),
    needed("name"),
    needed("content"),
    needed("specs"),
    needed("meta"),
    needed("access"),
    needed("valves"),
    needed("is_enabled", sa.Boolean),
    needed("version", sa.Integer),
    needed("created_at", Big),
    needed("updated_at", Big),
)
"""A tool: its source, what was read of it, who may use it, and its settings; the last four as JSON."""

STORED_TOOL_VERSION = sa.Table(
    "stored_tool_version",
    METADATA,
    key("tool_id"),
    key("version", sa.Integer, is_numbered=False),
    needed("content"),
    needed("author"),
    needed("saved_at", Big),
)
"""The source of a tool as it once was."""
