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
    Where all the modules were imported already, no object is exempt.
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
    """Make imports of `module` raise ImportError within the context, unless it is loaded already.

    For packages that import another only to recognise its objects. (That `None` among the
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
