"""Share platforms and turns between the workers of one database; a single worker serves all of them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from uuid import uuid4

from bot.inbound.turn_claims import TakeOver, TurnCoordinator
from bot.outbound.workers import LEASE_DURATION, TIMEOUT, PlatformLeaseHolder, RemoteOutbox, Send
from bot.platforms.base import Platform
from function_calls.tools.dispatch.hooks import BeforeTool
from services.kernel.background_tasks import BackgroundTasks, log_failure
from services.kernel.clock import Clock
from services.storage.database import Database
from services.storage.workers.platform_leases import PlatformLeases
from services.storage.workers.remote_outbox import RemoteMessages
from services.storage.workers.turn_claims import Key, TurnClaims

Run = Callable[[], Awaitable[None]]


class SingleWorker:
    """The only worker of its database, which serves every platform and every turn."""

    is_shared: bool = False
    remote_outbox: RemoteOutbox | None = None
    turn_claims: TurnCoordinator | None = None
    message_claims: TurnClaims | None = None
    before_tool: Sequence[BeforeTool] = ()

    def start(self, tasks: BackgroundTasks, send: Send) -> None:
        """Do nothing: a single worker has no background tasks."""

    def is_here(self, platform: str) -> bool:
        """Return whether this worker is connected to a platform."""
        del platform
        return True

    def complete(self, key: Key) -> None:
        """Mark a message as answered."""

    async def run(self, platform: Platform, run: Run, take_over: TakeOver, tasks: BackgroundTasks) -> None:
        """Run a connection."""
        del platform, take_over, tasks
        await run()


class Cluster(SingleWorker):
    """One of several workers: it leases platforms, claims turns and passes messages to other workers."""

    is_shared = True
    remote_outbox: RemoteOutbox
    turn_claims: TurnCoordinator

    def __init__(self, claims: TurnClaims, remote_outbox: RemoteOutbox, clock: Clock) -> None:
        self.message_claims = claims
        self.remote_outbox = remote_outbox
        self.turn_claims = TurnCoordinator(claims, clock)
        self.before_tool = (self.turn_claims.refuse,)

    def start(self, tasks: BackgroundTasks, send: Send) -> None:
        """Send the messages of other workers, and release completed turns, in the background."""
        tasks.start(self.remote_outbox.serve(send), "messages of other workers")
        tasks.start(self.turn_claims.release_completed(), "release completed turns")

    def is_here(self, platform: str) -> bool:
        """Return whether this worker is connected to a platform."""
        return self.remote_outbox.platform_leases.is_here(platform)

    def complete(self, key: Key) -> None:
        """Mark a message as answered."""
        self.turn_claims.complete(key)

    async def run(self, platform: Platform, run: Run, take_over: TakeOver, tasks: BackgroundTasks) -> None:
        """Run a connection while this worker leases its platform, and take over turns that another worker left."""

        async def connect() -> None:
            following = log_failure(self.turn_claims.follow(platform, take_over), f"platform {platform.name}")
            tasks.start(following, f"{platform.name}: messages of other workers")
            await run()

        await self.remote_outbox.platform_leases.run_while_leader(platform.name, connect)


@asynccontextmanager
async def join_cluster(database: Database, platforms: Sequence[Platform], clock: Clock) -> AsyncIterator[SingleWorker]:
    """Join the other workers of `database` until the context ends."""
    if database.workers is None:
        yield SingleWorker()
        return
    owner = uuid4().hex
    await database.workers.hold(owner)
    local = {platform.name for platform in platforms if platform.capabilities.per_process}
    leases = PlatformLeases(database, owner, lasts=LEASE_DURATION)
    platform_leases = PlatformLeaseHolder(leases, {platform.name for platform in platforms} - local, clock, local=local)
    async with platform_leases.hold():
        remote_outbox = RemoteOutbox(RemoteMessages(database, owner, fresh=TIMEOUT), platform_leases, clock)
        yield Cluster(TurnClaims(database, owner), remote_outbox, clock)
