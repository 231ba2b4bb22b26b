"""Imports without garbage collection, and modules excluded from an import."""

import gc
import importlib
import sys

import pytest

from services.kernel.startup_imports import block_import, import_without_gc


@pytest.fixture
def new_module(tmp_path, monkeypatch):
    """Return the name of a module that is not yet imported, with a list in `MADE`."""
    (tmp_path / "never_imported.py").write_text("MADE = [[]]\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "never_imported"
    gc.unfreeze()
    sys.modules.pop("never_imported", None)


def is_collected(thing) -> bool:
    return any(each is thing for each in gc.get_objects())


def test_imports_run_no_garbage_collection():
    with import_without_gc():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_imported_module_is_never_collected(new_module):
    with import_without_gc():
        made = importlib.import_module(new_module).MADE

    assert not is_collected(made)


def test_other_objects_are_still_collected(new_module):
    made = importlib.import_module(new_module).MADE

    with import_without_gc():
        importlib.import_module(new_module)

    assert is_collected(made)


def test_excluded_module_is_missing_during_the_import_only(new_module):
    with block_import(new_module), pytest.raises(ImportError):
        importlib.import_module(new_module)

    assert importlib.import_module(new_module).MADE == [[]]


def test_imported_module_is_not_excluded(new_module):
    importlib.import_module(new_module)

    with block_import(new_module):
        assert importlib.import_module(new_module).MADE == [[]]
