"""Importing much at once, without looking for garbage in it."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def imported_for_good() -> Iterator[None]:
    """Collect no garbage while modules are imported, and never look for some in what they made.

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
