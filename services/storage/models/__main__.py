"""Writes `services/storage/tables.py` from the classes: `python -m services.storage.models`."""

from pathlib import Path

from services.storage.models.source import tables_source

Path(__file__).parents[1].joinpath("tables.py").write_text(tables_source(), encoding="utf-8")
