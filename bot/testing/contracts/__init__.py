"""What every chat platform must do, as tests: give the class a rig and pytest runs them all.

    class TestMyPlatform(PlatformContract):
        @pytest.fixture
        async def rig(self):
            async with my_server() as server:
                rig = MyRig(server)
                async with rig.connected():
                    yield rig

A test that asks for what the platform does not have is skipped.
"""

from bot.testing.contracts.connection import ConnectionContract
from bot.testing.contracts.incoming import IncomingContract
from bot.testing.contracts.outgoing import OutgoingContract


class PlatformContract(IncomingContract, OutgoingContract, ConnectionContract):
    """The tests. A subclass brings the fixture `rig`: a connected `PlatformRig`."""
