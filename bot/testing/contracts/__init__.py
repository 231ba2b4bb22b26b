"""Contract tests for chat platforms; a subclass defines their rig.

    class TestMyPlatform(PlatformContract):
        @pytest.fixture
        async def rig(self):
            async with my_server() as server:
                rig = MyRig(server)
                async with rig.connected():
                    yield rig

Tests of features that the platform does not have are skipped.
"""

from bot.testing.contracts.connection import ConnectionContract
from bot.testing.contracts.incoming import IncomingContract
from bot.testing.contracts.outgoing import OutgoingContract


class PlatformContract(IncomingContract, OutgoingContract, ConnectionContract):
    """All contract tests of platforms; a subclass defines the fixture `rig`, a connected `PlatformRig`."""
