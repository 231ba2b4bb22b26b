"""Import many modules quickly, without garbage collection and without unused optional ones."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def import_without_gc() -> Iterator[None]:
    """Disable the garbage collector within the context, and exempt the objects of imported modules from it.

    A start creates about 100,000 objects that live as long as the process. Checking them takes a fifteenth of the
    start, and later hundredths of a second per full collection. Nothing is exempted if no module was imported.
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
    """Make imports of `module` raise ImportError within the context, unless it is loaded.

    Use it for packages that import `module` only to recognise its objects. Source: Python language reference, 5.3.1.
    """
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.modules.pop(module, None)
