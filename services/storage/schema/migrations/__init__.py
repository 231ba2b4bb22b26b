"""Migrations from each version of the tables to the next; they ship with the package.

Every change of `services/storage/tables` after version 1 is a file in `versions/` whose revision is the new
`SCHEMA_VERSION`; a test compares the migrated schema with the declared one.
"""

from typing import Final

SCHEMA_VERSION: Final = 14
