"""Import many modules quickly, without garbage collection and without unused optional ones."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def import_without_gc() -> Iterator[None]:
    """Collect no garbage while modules are imported, and exempt the objects they made.

    A start makes a hundred thousand objects that live as long as the process. To look through them again and again took
    a fifteenth of it, and would take some hundredths of a second whenever the running bot looks through everything.
    Where all the modules were there already, nothing is kept from being looked through.
    """
    known = len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:
            gc.freeze()
        gc.enable()


@contextmanager
def block_import(module: str) -> Iterator[None]:
    """Raise ImportError for whoever imports `module` meanwhile, unless it is loaded already.

    For packages that look for another only to see whether they were handed something of it. (That `None` among the
    modules stops an import is Python's own rule: language reference, 5.3.1.)
    """
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.modules.pop(module, None)
