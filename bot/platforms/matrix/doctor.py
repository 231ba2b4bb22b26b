"""Check the bot's account on a Matrix homeserver: the login and its rooms."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final
from urllib.parse import quote

from bot.config.platform_catalog import MatrixSettings
from bot.config.settings import Settings
from bot.platforms.kit.doctor import Finding, Prober, ProbeResult, good, problem
from bot.platforms.matrix.wire import NAME

# Another device than that of the running bot, which a login would log out.
_DEVICE: Final = "BUBBLES_DOCTOR"
_MAX_ROOMS: Final = 20
# The package with which the library decrypts; it is not imported.
_DECRYPTS: Final = "vodozemac"


async def examine(settings: Settings, prober: Prober, *, can_decrypt: bool | None = None) -> list[Finding]:
    """Log in, check the rooms, and log out. `can_decrypt` is detected if it is None."""
    if can_decrypt is None:
        can_decrypt = find_spec(_DECRYPTS) is not None
    own = settings.platforms.group(NAME, MatrixSettings)
    if not own.homeserver or not own.user:
        return [problem("matrix", "no_address", "matrix_address")]
    base = f"{own.homeserver.rstrip('/')}/_matrix/client"
    served = await prober.ask("GET", f"{base}/versions")
    if served.problem or "versions" not in served.body:
        reason = f"{own.homeserver}: {served.problem or served.status}"
        return [problem("matrix", "unreachable", "matrix_homeserver", reason=reason)]
    given = own.access_token.get_secret_value()
    if given:
        return await _account(base, given, own, prober, can_decrypt=can_decrypt)
    if not own.password.get_secret_value():
        return [problem("matrix account", "no_password", "matrix_password")]
    return await _with_password(base, own, prober, can_decrypt=can_decrypt)


async def _with_password(base: str, own: MatrixSettings, prober: Prober, *, can_decrypt: bool) -> list[Finding]:
    body = {
        "type": "m.login.password",
        "identifier": {"type": "m.id.user", "user": own.user},
        "password": own.password.get_secret_value(),
        "device_id": _DEVICE,
    }
    entered = await prober.ask("POST", f"{base}/v3/login", body)
    token = entered.body.get("access_token")
    if entered.status == 429:
        return [good("matrix account", "matrix_untried")]
    if not isinstance(token, str):
        return [_refusal(entered, "matrix_login")]
    try:
        return await _account(base, token, own, prober, can_decrypt=can_decrypt)
    finally:
        await prober.ask("POST", f"{base}/v3/logout", {}, token=token)


async def _account(base: str, token: str, own: MatrixSettings, prober: Prober, *, can_decrypt: bool) -> list[Finding]:
    who = await prober.ask("GET", f"{base}/v3/account/whoami", token=token)
    if not who.is_ok:
        return [_refusal(who, "matrix_token")]
    if who.body.get("user_id") != own.user:
        names = {"owner": who.body.get("user_id"), "name": own.user}
        return [problem("matrix account", "matrix_other", "matrix_user", **names)]
    works = good("matrix account", "works", name=own.user)
    answer = await prober.ask("GET", f"{base}/v3/joined_rooms", token=token)
    joined = answer.body.get("joined_rooms")
    rooms = [each for each in joined if isinstance(each, str)] if isinstance(joined, list) else []
    unreadable = 0 if can_decrypt else await _count_encrypted(base, token, rooms, prober)
    return [works, *_rooms(rooms, own, unreadable)]


def _rooms(rooms: Sequence[str], own: MatrixSettings, unreadable: int) -> list[Finding]:
    about = "matrix rooms"
    nobody_may_invite = own.invites == "nobody" or (own.invites == "listed" and not own.inviters)
    if not rooms and nobody_may_invite:
        return [problem(about, "matrix_shut", "matrix_inviters")]
    if unreadable:
        counts = {"count": unreadable, "all": len(rooms)}
        return [problem(about, "matrix_encrypted", "matrix_install", **counts)]
    return [good(about, "matrix_rooms", count=len(rooms))]


async def _count_encrypted(base: str, token: str, rooms: Sequence[str], prober: Prober) -> int:
    """Return how many of the first rooms are known to be encrypted."""
    found = 0
    for room in rooms[:_MAX_ROOMS]:
        path = f"{base}/v3/rooms/{quote(room)}/state/m.room.encryption/"
        found += "algorithm" in (await prober.ask("GET", path, token=token)).body
    return found


def _refusal(answer: ProbeResult, step: str) -> Finding:
    reason = answer.problem or answer.body.get("error", answer.status)
    return problem("matrix account", "refused", step, reason=reason)
