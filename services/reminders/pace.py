"""How the waker works: how far ahead, how much at once."""

from datetime import timedelta

from msgspec import Struct


class WakerPace(Struct, frozen=True, kw_only=True):
    """How the waker works.

    It claims `look_ahead` before the due time in batches of `batch`, looks at the clock at least every `tick`, has at
    most `senders` messages in flight, `ahead` more begun where the platform is quick, and `most_held` occurrences in
    memory, and calls a send lost after `send_limit`.
    At most `together` occurrences that are due in one chat are said in one message.
    """

    look_ahead: timedelta = timedelta(seconds=5)
    tick: timedelta = timedelta(seconds=1)
    batch: int = 500
    senders: int = 16
    ahead: int = 1000
    most_held: int = 20_000
    send_limit: timedelta = timedelta(minutes=2)
    together: int = 10
