"""Check the Discord application: its token, the message content intent and the permissions in guilds."""

from bot.config.settings import Settings
from bot.platforms.discord.rights import examine_rights
from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.discord.wire import NAME
from bot.platforms.kit.doctor.asking import Asking
from bot.platforms.kit.doctor.finding import Finding, good, problem

_API = "https://discord.com/api/v10"
_READS_CONTENT = (1 << 18) | (1 << 19)


async def examine(settings: Settings, asking: Asking, *, api_url: str = _API) -> list[Finding]:
    """Ask for the application, its flags among them, and for the servers that it is in."""
    token = settings.platforms.group(NAME, DiscordSettings).token.get_secret_value()
    if not token:
        step = "open discord.com/developers, page Bot, Reset Token, and set BUBBLES_PLATFORMS__DISCORD__TOKEN"
        return [problem("discord token", "there is none", step)]
    headers = {"Authorization": f"Bot {token}"}
    answer = await asking.ask("GET", f"{api_url}/oauth2/applications/@me", headers=headers)
    if answer.problem:
        return [problem("discord", f"cannot be reached ({answer.problem})", "check the network")]
    if not answer.is_ok:
        step = "copy the token again: discord.com/developers, page Bot, Reset Token"
        return [problem("discord token", f"refused ({answer.body.get('message', answer.status)})", step)]
    found = good("discord token", f"works: {answer.body.get('name')}")
    intent = _intent(answer.body.get("flags"), listens_to_all=settings.router.listen != "addressed")
    return [found, intent, *await examine_rights(api_url, headers, asking)]


def _intent(flags: object, *, listens_to_all: bool) -> Finding:
    about = "discord message content"
    if isinstance(flags, int) and flags & _READS_CONTENT:
        return good(about, "the intent is on: the bot reads what is said")
    if not listens_to_all:
        return good(about, 'the intent is off, which fits router.listen = "addressed"')
    return problem(
        about,
        "the intent is off: the bot reads only private chats, its mentions and slash commands",
        'switch on Message Content Intent at discord.com/developers, page Bot; or set router.listen = "addressed"',
    )
