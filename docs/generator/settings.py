"""Generate the page of settings with defaults and meanings."""

from collections.abc import Iterator, Mapping
from functools import cache

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bot.config.fields import Group
from bot.config.platform_catalog import GROUPS
from bot.config.settings import Settings
from bot.config.sources import PREFIX
from docs.generator.markdown import cell, table

_HEAD = """# Settings

Settings are read from `config.toml` in the current folder, or the file named by `--config`. The environment overrides
them: `[bot] timezone` is `BUBBLES_BOT__TIMEZONE`. Secrets are in the environment, or in a file named by a variable that
ends in `_FILE`, never in `config.toml`; a setting there may name their place: `file:/run/secrets/openai`,
`keyring:service/name`. An unknown setting is an error that names the nearest one. `bubbles check` shows configured
and missing settings.
"""


@cache
def settings_page() -> str:
    """Return the Markdown of all settings by group."""
    return "\n".join([_HEAD, *(_section(name, group) for name, group in groups().items())])


def groups() -> Mapping[str, type[Group]]:
    """Return every group of settings by its name, including those of the platforms."""
    own = {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Group)
    }
    return own | {f"platforms.{name}": GROUPS[name] for name in GROUPS}


def documented(group: type[Group]) -> Iterator[tuple[str, FieldInfo]]:
    """Return the documented settings of a group."""
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
    """Return the environment variable of a setting."""
    return f"{PREFIX}{group.replace('.', '__')}__{key}".upper()


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, SecretStr):
        return ""
    if isinstance(value, tuple | list):
        return cell(", ".join(f"`{each}`" for each in value)) or "none"
    return cell(f"`{value}`") if str(value) else "empty"
