"""Parse chat commands, convert them to sentences, and list them for the menus of platforms."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from bot.platforms.base import Command, CommandOption, OffersCommands, OptionKind, Platform
from function_calls.conversation.slash_commands import TypedCommand, is_for_other_bot, parse_typed
from function_calls.language.messages import knows, say
from function_calls.router import FunctionCallRouter
from function_calls.tools.calls import Reply, ToolSpec, Turn
from function_calls.tools.permission import Viewer
from function_calls.tools.validation.schema_walk import properties_of, required_of
from services.kernel.chat import ChatAddress, Person
from services.kernel.languages import language_of
from services.kernel.text import closest_names


def _argument(english: str, chinese: str, *, is_required: bool) -> tuple[CommandOption, ...]:
    return (CommandOption(name="text", kind="text", english=english, chinese=chinese, is_required=is_required),)


MENU: Final = (
    Command(
        name="remind",
        english="Set a reminder: tea at 5",
        chinese="设置提醒：五点喝茶",
        options=_argument("What and when", "什么事，什么时候", is_required=True),
    ),
    Command(name="reminders", english="List the reminders of this chat", chinese="查看本群的提醒"),
    Command(
        name="summary",
        english="Summarise this chat",
        chinese="总结群聊",
        options=_argument("Since when or about what", "从什么时候起，或关于什么", is_required=False),
    ),
    Command(
        name="search",
        english="Search the web",
        chinese="搜索网页",
        options=_argument("What to look for", "搜索什么", is_required=True),
    ),
    Command(name="help", english="What I can do", chinese="我能做什么"),
)
"""Commands that are converted to a sentence, in the order of menus."""

_MENU_ORDER: Final = tuple(command.name for command in MENU)
MENU_NAMES: Final = frozenset(_MENU_ORDER)
_MANAGING: Final = frozenset({"link", "unlink", "chatname", "for", "tools", "plugins"})
"""Commands with their own handler, which `Assistant` asks before it interprets a message."""

_ALIASES: Final[Mapping[str, str]] = {
    "remindme": "remind",
    "start": "help",  # Telegram sends it when a person opens the chat
    "提醒": "remind",
    "关联": "link",
    "绑定": "link",
    "解绑": "unlink",
    "取消关联": "unlink",
    "群名": "chatname",
    "发到": "for",
    "工具": "tools",
    "插件": "plugins",
}
_STARTS_ALREADY: Final = re.compile(r"(me|us|everyone|@|我|大家|所有人|a todos)", re.IGNORECASE)
_COUNT: Final = re.compile(r"\d{1,4}")
_MAX_SUGGESTIONS: Final = 3
_ALIKE: Final = 0.6

MAX_DESCRIPTION_LENGTH: Final = 100
"""Characters of a description that Discord allows."""

# The names that Discord and Telegram allow.
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_FIRST_SENTENCE: Final = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)
_KINDS: Final[Mapping[str, OptionKind]] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def parse_command(text: str, bot_name: str) -> TypedCommand | None:
    """Parse a command of this bot, with its English name; None for any other text, and for calls of functions."""
    command = parse_typed(text, bot_name)
    if command is None or command.other_bot:
        return None
    name = command.name.casefold()
    name = _ALIASES.get(name, name)
    return replace(command, name=name) if name in MENU_NAMES | _MANAGING else None


def is_managing_command(text: str, bot_name: str) -> bool:
    """Return whether `text` is a command with its own handler, which only the bot can answer."""
    command = parse_command(text, bot_name)
    return command is not None and command.name in _MANAGING


def sentence_of(text: str, bot_name: str, language: str) -> str | None:
    """Return the sentence of the slash command `text`; None for other texts and other bots (`/help@other`)."""
    command = parse_command(text, bot_name)
    if command is None or command.name not in MENU_NAMES:
        return None
    name, rest = command.name, command.argument
    if not rest:
        name = {"remind": "help", "search": "help", "summary": "summary_all"}.get(name, name)
    elif name == "remind" and _STARTS_ALREADY.match(rest):
        name = "remind_somebody"
    elif name == "summary" and _COUNT.fullmatch(rest):
        name = "summary_count"
    return say(language_of(rest, language), f"sentence.{name}", rest=rest)


async def answer_unknown_command(turn: Turn) -> Reply | None:
    """Answer an unknown command, such as `/foo`, with the nearest ones; None for any other message."""
    command = parse_typed(turn.message.text, turn.bot_name)
    if command is None or turn.steps or is_for_other_bot(turn) or parse_command(turn.message.text, turn.bot_name):
        return None
    tools = [tool.name for tool in turn.tools]
    if command.name in tools and not command.other_bot:
        return None
    aliases = [alias for alias in _ALIASES if not alias.isascii()]
    listed = (*_MENU_ORDER, *sorted(_MANAGING))
    typed = f"/{command.name}@{command.other_bot}".removesuffix("@")
    text = say(turn.language, "failed.unknown_command", command=typed)
    near = closest_names(command.name.casefold(), (*listed, *aliases, *tools), count=_MAX_SUGGESTIONS, at_least=_ALIKE)
    if near:
        text += say(turn.language, "failed.argument_meant", meant=", ".join(f"/{each}" for each in near))
    else:
        text += say(turn.language, "failed.known_commands", known=", ".join(f"/{each}" for each in listed))
    return Reply(text=text, reply_to=turn.message.id)


def format_call(name: str, values: Mapping[str, object]) -> str:
    """Return the command `name` with `values` filled in, as `function_calls.conversation.slash_commands` reads it."""
    return " ".join([f"/{name}", *(f"{key}={_quote(value)}" for key, value in values.items() if value is not None)])


def _quote(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if text and not any(mark.isspace() or mark in '"\\' for mark in text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def menu_of(specs: Iterable[ToolSpec]) -> tuple[Command, ...]:
    """Return the general commands, then one for each function with another name."""
    return (*MENU, *function_commands(spec for spec in specs if spec.name not in MENU_NAMES))


def function_commands(specs: Iterable[ToolSpec]) -> tuple[Command, ...]:
    """Return a command for each function whose name a command may have, in their order.

    A parameter that cannot be filled in as one value (a list, an object) is left out; a function that needs such a one
    has no command.
    """
    made = (_command(spec) for spec in specs if _NAME.fullmatch(spec.name))
    return tuple(command for command in made if command is not None)


def _command(spec: ToolSpec) -> Command | None:
    needed = set(required_of(spec.parameters))
    options = tuple(_options(spec.name, properties_of(spec.parameters), needed))
    if needed - {option.name for option in options}:
        return None
    english, chinese = _in_both_languages(spec.description or spec.name)
    # Discord requires that required options come first.
    ordered = sorted(options, key=lambda option: not option.is_required)
    return Command(name=spec.name, english=english, chinese=chinese, options=tuple(ordered))


def _options(function: str, fields: Mapping[str, object], needed: set[str]) -> Iterator[CommandOption]:
    for name, field in fields.items():
        schema = _non_null_schema(field)
        named = schema.get("type")
        kind = _KINDS.get(named) if isinstance(named, str) else None
        if kind is None or not _NAME.fullmatch(name):
            continue
        described = schema.get("description")
        english, chinese = _in_both_languages(described if isinstance(described, str) else name)
        keys = (f"argument.{function}_{name}", f"argument.{name}")
        yield CommandOption(
            name=name,
            kind=kind,
            english=english,
            chinese=next((say("zh", key) for key in keys if knows(key)), chinese) if chinese == english else chinese,
            is_required=name in needed,
            choices=_texts(schema.get("enum")) if kind == "text" else (),
            minimum=_number(schema.get("minimum")),
            maximum=_number(schema.get("maximum")),
        )


def _non_null_schema(field: object) -> Mapping[str, object]:
    """Return the schema of a field without null, such as the first of "integer or null"."""
    if not isinstance(field, dict):
        return {}
    kinds = field.get("type")
    if isinstance(kinds, list):
        named = [kind for kind in kinds if kind != "null"]
        return {**field, "type": named[0] if len(named) == 1 else None}
    forms = field.get("anyOf")
    if isinstance(forms, list):
        real = [form for form in forms if isinstance(form, dict) and form.get("type") != "null"]
        return {**field, **real[0]} if len(real) == 1 else {}
    return field


def _in_both_languages(text: str) -> tuple[str, str]:
    """Split "中文 / English" into English and Chinese; a text in one language is used for both."""
    before, _, after = text.partition(" / ")
    if after and _CHINESE.search(before):
        return _short(after, only_first_sentence=True), _short(before)
    return (_short(text, only_first_sentence=True),) * 2


def _short(text: str, *, only_first_sentence: bool = False) -> str:
    plain = " ".join(text.replace("`", "").split())
    first = _FIRST_SENTENCE.match(plain) if only_first_sentence else None
    plain = (first[0] if first is not None else plain).rstrip(".")
    if len(plain) <= MAX_DESCRIPTION_LENGTH:
        return plain
    return f"{plain[: MAX_DESCRIPTION_LENGTH - 1].rsplit(' ', 1)[0].rstrip(',;: ')}…"


def _texts(choices: object) -> tuple[str, ...]:
    return tuple(each for each in choices if isinstance(each, str)) if isinstance(choices, list) else ()


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


async def offer_commands(platforms: Iterable[Platform], calls: FunctionCallRouter) -> None:
    """Offer on each of `platforms` the commands that everybody may call; the others can be typed."""
    for platform in platforms:
        if isinstance(platform, OffersCommands):
            anybody = Viewer(person=Person(id="", name=""), chat=ChatAddress(platform=platform.name, chat_id=""))
            specs = await calls.list_specs(anybody)
            platform.set_commands(menu_of(specs))
