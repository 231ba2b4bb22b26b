import gc
import importlib
import sys

import pytest

from services.kernel.startup_imports import block_import, import_without_gc


@pytest.fixture
def new_module(tmp_path, monkeypatch):
    """The name of a module that nobody has imported yet, with a list in `MADE`."""
    (tmp_path / "never_imported.py").write_text("MADE = [[]]\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "never_imported"
    gc.unfreeze()
    sys.modules.pop("never_imported", None)


def is_looked_through(thing) -> bool:
    return any(each is thing for each in gc.get_objects())


def test_no_garbage_is_looked_for_while_modules_are_imported():
    with import_without_gc():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_imported_module_is_never_searched_again(new_module):
    with import_without_gc():
        made = importlib.import_module(new_module).MADE

    assert not is_looked_through(made)


def test_modules_not_imported_stay_to_be_searched(new_module):
    made = importlib.import_module(new_module).MADE

    with import_without_gc():
        importlib.import_module(new_module)

    assert is_looked_through(made)


def test_a_module_that_is_left_out_seems_not_installed_and_is_there_afterwards(new_module):
    with block_import(new_module), pytest.raises(ImportError):
        importlib.import_module(new_module)

    assert importlib.import_module(new_module).MADE == [[]]


def test_a_module_that_is_there_already_is_not_left_out(new_module):
    importlib.import_module(new_module)

    with block_import(new_module):
        assert importlib.import_module(new_module).MADE == [[]]
