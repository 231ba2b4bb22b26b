"""Check the XMPP server: the login and the services of the rooms."""

from typing import Final

from bot.config.platform_catalog import XmppSettings
from bot.config.settings import Settings
from bot.platforms.kit.connection import ConnectionEnded, ConnectionRefusedForGood
from bot.platforms.kit.doctor import Finding, Prober, good, problem
from bot.platforms.xmpp.client import XmppClient
from bot.platforms.xmpp.wire import NAME

_LISTED: Final = 5


async def examine(settings: Settings, prober: Prober) -> list[Finding]:
    """Log in as the bot would, and ask the services of the rooms whether they are there; no room is entered."""
    del prober  # XMPP is no HTTP
    own = settings.platforms.group(NAME, XmppSettings)
    if not own.jid:
        return [problem("xmpp", "the bot's address is not named", "fill in jid of [platforms.xmpp]")]
    if not own.password.get_secret_value():
        return [problem("xmpp account", "there is no password", "set BUBBLES_PLATFORMS__XMPP__PASSWORD")]
    client = XmppClient(own)
    try:
        await client.enter()
        return [good("xmpp account", f"works: {own.jid}"), *await _rooms(own, client)]
    except ConnectionRefusedForGood as refusal:
        step = "correct jid, or set BUBBLES_PLATFORMS__XMPP__PASSWORD again"
        return [problem("xmpp account", f"refused ({refusal})", step)]
    except ConnectionEnded as end:
        step = "correct jid, host, port and encrypted of [platforms.xmpp], or the network"
        return [problem("xmpp", f"the server of {own.jid} cannot be reached ({end})", step)]
    finally:
        await client.leave()


async def _rooms(own: XmppSettings, client: XmppClient) -> list[Finding]:
    if not own.rooms:
        return [good("xmpp rooms", "none are named, so the bot hears only what is said to it alone")]
    gone = [room for room in own.rooms if not await client.has_home(room)]
    if gone:
        step = "correct rooms of [platforms.xmpp]: name@service, as the server lists its services"
        return [problem("xmpp rooms", f"no service for {', '.join(gone[:_LISTED])}", step)]
    return [good("xmpp rooms", f"{len(own.rooms)} can be joined")]
