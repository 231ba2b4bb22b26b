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

from bot.testing.contracts.hearing import HearingContract
from bot.testing.contracts.serving import ServingContract
from bot.testing.contracts.speaking import SpeakingContract


class PlatformContract(HearingContract, SpeakingContract, ServingContract):
    """The tests. A subclass brings the fixture `rig`: a connected `PlatformRig`."""
