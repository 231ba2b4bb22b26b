"""How long a database is waited for, and how long a process that shares one may be silent."""

from datetime import timedelta

from msgspec import Struct


class Patience(Struct, frozen=True, kw_only=True):
    """Times that depend on nobody's wishes; tests with locks and frozen processes shorten them.

    `busy` is how long a SQLite file may be locked by another program. On PostgreSQL each process says every `beat` that
    it is alive, and is taken for frozen when it has not for `frozen_after`; after a start of the server all are waited
    for `settling`, because their locks are gone until they have connected again.
    """

    busy: timedelta = timedelta(seconds=30)
    beat: timedelta = timedelta(seconds=5)
    frozen_after: timedelta = timedelta(seconds=15)
    settling: timedelta = timedelta(seconds=10)
