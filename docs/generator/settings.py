"""The page of every setting: where it is written, what it is by default, what it means."""

from collections.abc import Iterator, Mapping

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bot.config.platform_catalog import GROUPS
from bot.config.settings import Group, Settings
from bot.config.sources import PREFIX
from docs.generator.markdown import cell, table

_HEAD = """# Settings

`config.toml` in the folder that the bot is started in, or the file named by `--config`. Every setting can be given in
the environment as well, which wins: `[bot] timezone` is `BUBBLES_BOT__TIMEZONE`. Secrets stand in the environment, or
in the file that a variable ending in `_FILE` names, and never in `config.toml`; there may be the place where one is
kept: `file:/run/secrets/openai`, `keyring:service/name`. An unknown setting is an error that names the nearest known
one. `bubbles check` shows what is set and what is missing.
"""


def settings_page() -> str:
    """Markdown of all settings, group by group."""
    return "\n".join([_HEAD, *(_section(name, group) for name, group in groups().items())])


def groups() -> Mapping[str, type[Group]]:
    """Every group of settings by its name in the file, those of the platforms included."""
    own = {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Group)
    }
    return own | {f"platforms.{name}": GROUPS[name] for name in GROUPS}


def documented(group: type[Group]) -> Iterator[tuple[str, FieldInfo]]:
    """The settings of a group that stand in the file."""
    return ((key, field) for key, field in group.model_fields.items() if field.description)


def _section(name: str, group: type[Group]) -> str:
    rows = [
        (f"`{key}`", _default(field), cell(field.description or ""), f"`{variable(name, key)}`")
        for key, field in documented(group)
    ]
    words = " ".join((group.__doc__ or "").split())
    return "\n".join(
        [f"## `[{name}]`", "", words, "", *table(("setting", "default", "meaning", "environment"), rows), ""]
    )


def variable(group: str, key: str) -> str:
    """The environment variable of a setting."""
    return f"{PREFIX}{group.replace('.', '__')}__{key}".upper()


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, SecretStr):
        return ""
    if isinstance(value, tuple | list):
        return cell(", ".join(f"`{each}`" for each in value)) or "none"
    return cell(f"`{value}`") if str(value) else "empty"
