"""Claim due reminders where several processes share the database, at most once a second unless something is due."""

import sqlalchemy as sa
from loguru import logger

from services.reminders.records import Claim
from services.storage.engine import postgres_deliveries
from services.storage.engine.rows import from_micros
from services.storage.engine.worker_registry import IS_GONE, WorkerRegistry
from services.storage.reminders import claims, ledger
from services.storage.reminders.occurrence_rows import ClaimRequest
from services.storage.tables import WORKER
from services.storage.tables.base import IS_DUE, IS_FREED

_IS_WORTH_IT = sa.text(
    f"SELECT least((SELECT min(next_fire_at) FROM reminder WHERE {IS_DUE}), "  # noqa: S608 - constants
    f"(SELECT min(try_at) FROM delivery WHERE {IS_FREED})) <= :until "
    f"OR EXISTS (SELECT FROM worker WHERE {IS_GONE})"
)


def claim_shared(connection: sa.Connection, presence: WorkerRegistry, request: ClaimRequest) -> Claim:
    """Take up what the dead have left, and claim; look again at the horizon at the latest, because others may add."""
    horizon = from_micros(request.until)
    asked = {**presence.parameters, "until": request.until}
    if not connection.scalar(_IS_WORTH_IT, asked):
        return Claim(leases=(), next_at=horizon, is_full=False)
    presence.confirm(connection, request.owner)
    free_gone(connection, presence)
    claim = claims.claim(connection, request)
    return Claim(leases=claim.leases, next_at=min(claim.next_at or horizon, horizon), is_full=claim.is_full)


def free_gone(connection: sa.Connection, presence: WorkerRegistry) -> int:
    """Free the leases of owners that are dead or frozen; return how many there were."""
    gone = presence.gone_owners(connection)
    freed = 0
    for owner in gone:
        postgres_deliveries.settle_appended(connection, owner)
        freed += ledger.free(connection, owner)
    if gone:
        connection.execute(WORKER.delete().where(WORKER.c.owner.in_(gone)))
        logger.info("{} workers are gone; freed {} occurrences they had claimed", len(gone), freed)
    return freed
