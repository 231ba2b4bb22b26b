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
        return [problem("xmpp", "no_address", "xmpp_jid")]
    if not own.password.get_secret_value():
        return [problem("xmpp account", "no_password", "xmpp_password")]
    client = XmppClient(own)
    try:
        await client.enter()
        return [good("xmpp account", "works", name=own.jid), *await _rooms(own, client)]
    except ConnectionRefusedForGood as refusal:
        return [problem("xmpp account", "refused", "xmpp_login", reason=refusal.reason)]
    except ConnectionEnded as end:
        return [problem("xmpp", "unreachable", "xmpp_server", reason=f"{own.jid}: {end}")]
    finally:
        await client.leave()


async def _rooms(own: XmppSettings, client: XmppClient) -> list[Finding]:
    if not own.rooms:
        return [good("xmpp rooms", "rooms_none")]
    gone = [room for room in own.rooms if not await client.has_service(room)]
    if gone:
        return [problem("xmpp rooms", "missing", "xmpp_rooms", names=", ".join(gone[:_LISTED]))]
    return [good("xmpp rooms", "rooms_joined", names=", ".join(own.rooms[:_LISTED]))]
