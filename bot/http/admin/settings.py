"""`/api/admin/settings`: list, change and test the settings, and undo changes of them; `/api/setup`: the first run."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import Field, JsonValue, SecretStr

from bot.app.connection_checks import examine_part
from bot.config.editor import FIXED_KEYS, RESTART_KEYS, SettingsChange, SettingsEditor, SettingsInvalid, split_key
from bot.config.field_errors import config_problem, field_problem
from bot.config.fields import Group
from bot.config.platform_catalog import GROUPS
from bot.config.settings import Settings
from bot.config.sources import Origin, group_model, group_names, is_secret, setting_names
from bot.http.core.bodies import Answer, Body, as_json
from bot.http.core.context import Context, HttpContext
from bot.http.core.errors import HttpRefused, invalid_fields, request_language
from bot.http.security.auth import AdminViewer, ChatViewer, needs
from bot.http.security.networks import check_bind_policy
from bot.platforms.kit.doctor import Finding
from bot.platforms.web.frames import format_instant
from services.call_log.secret_mask import SecretMask
from services.kernel.errors import ConfigError

_PLATFORM: Final = "platforms."
_MAX_KEY_LENGTH: Final = 100
_MAX_VALUES: Final = 200

routes = APIRouter(prefix="/api/admin/settings", tags=["admin"], dependencies=[Depends(needs("admin"))])
setup_routes = APIRouter(prefix="/api/setup", tags=["admin"])

Values = dict[Annotated[str, Field(max_length=_MAX_KEY_LENGTH)], JsonValue]


class SettingEntry(Answer):
    """A setting; a secret has no value, only `is_set`.

    `value_schema` is the JSON Schema of its values. `origin` is the kind of source of the value, `origin_name` the file
    or variable. `is_editable` if it can be changed here; `needs_restart` if a running bot keeps the old value.
    """

    group: str
    name: str
    value: JsonValue
    default: JsonValue
    description: str
    is_secret: bool
    is_set: bool
    value_schema: dict[str, JsonValue]
    origin: Literal["default", "file", "page", "environment"]
    origin_name: str
    is_editable: bool
    needs_restart: bool


class SettingsBody(Answer):
    """All settings with their values; `file` stores the changes, empty if none can be made.

    `started_at` is the time when the bot applied its settings; `problem` is the error of the last change, if it failed.
    """

    settings: list[SettingEntry]
    platforms: list[str]
    file: str
    started_at: str
    problem: str


class ValuesBody(Body):
    """New values by key, such as `model.base_url`; null removes the change made in the page."""

    values: Values = Field(max_length=_MAX_VALUES, examples=[{"bot.name": "Pearl"}])


class TestBody(ValuesBody):
    """A part of the bot to test with `values`, which are not stored: `model`, `search` or a platform."""

    part: str = Field(max_length=40, examples=["telegram"])


class SavedBody(Answer):
    """A stored change; `is_applied` if the bot applies it now, except for the keys in `restart`."""

    id: int
    is_applied: bool
    restart: list[str]


class ChangedValue(Answer):
    """One setting of a change; the values of a secret are true if it was set, else null."""

    key: str
    before: JsonValue
    after: JsonValue


class ChangeEntry(Answer):
    """A change of settings; `undoes` is the change that it undoes, `problem` the error of a start with it."""

    id: int
    at: str
    person: str
    values: list[ChangedValue]
    undoes: int | None
    problem: str


class ChangeList(Answer):
    """Changes, latest first."""

    changes: list[ChangeEntry]


class FindingBody(Answer):
    """A finding of a test: `said` describes it, `next_step` is the advice if it `is_problem`."""

    about: str
    said: str
    next_step: str
    is_problem: bool


class TestResults(Answer):
    """The result of a test."""

    results: list[FindingBody]


class SetupBody(Answer):
    """`is_offered` to the operator of a bot that nobody has used or set up yet."""

    is_offered: bool


@routes.get("")
async def settings(context: Context) -> SettingsBody:
    """List all settings with their values and descriptions; for secrets, only if they are set."""
    editor = context.editor
    loaded = None if editor is None else editor.load()
    origins = {} if loaded is None else loaded.origins
    has_file = loaded is not None and loaded.saved is not None
    changes = [] if editor is None or not has_file else editor.changes()
    return SettingsBody(
        settings=[entry for name in group_names() for entry in _entries(name, context.settings, origins, has_file)],
        platforms=list(GROUPS),
        file=str(loaded.saved) if loaded is not None and loaded.saved is not None else "",
        started_at=format_instant(context.started_at),
        problem=changes[-1].problem if changes else "",
    )


@routes.patch("")
async def change(body: ValuesBody, request: Request, context: Context, viewer: AdminViewer) -> SavedBody:
    """Change settings; the bot applies them without a restart where possible."""
    with open_editor(context, request) as editor:
        check_bind_policy(editor.preview(body.values).http)
        now = format_instant(context.clock.now())
        return save_answer(editor, editor.save(body.values, person=viewer.person.name, at=now))


@routes.post("/test")
async def test(body: TestBody, request: Request, context: Context) -> TestResults:
    """Test the model, the search or a platform with values that are not stored, by one real request."""
    if body.part not in {"model", "search", *GROUPS}:
        raise HttpRefused(404, "not_found")
    with open_editor(context, request) as editor:
        previewed = editor.preview(body.values)
    results = await examine_part(body.part, previewed, context.clock)
    return TestResults(results=[_finding_body(each, request_language(request)) for each in results])


def _finding_body(finding: Finding, language: str) -> FindingBody:
    return FindingBody(
        about=finding.about_in(language),
        said=finding.state_in(language),
        next_step=finding.next_step_in(language),
        is_problem=finding.is_problem,
    )


@routes.get("/changes")
async def changes(context: Context, request: Request) -> ChangeList:
    """List the last hundred changes."""
    with open_editor(context, request) as editor:
        return ChangeList(changes=[_change_entry(each) for each in reversed(editor.changes())])


@routes.post("/changes/{change_id}/undo")
async def undo(
    change_id: Annotated[int, Path(ge=1)], request: Request, context: Context, viewer: AdminViewer
) -> SavedBody:
    """Undo a change: restore the values before it."""
    with open_editor(context, request) as editor:
        try:
            return save_answer(
                editor, editor.undo(change_id, person=viewer.person.name, at=format_instant(context.clock.now()))
            )
        except LookupError as error:
            raise HttpRefused(404, "not_found") from error


@setup_routes.get("")
async def setup(context: Context, viewer: ChatViewer) -> SetupBody:
    """Return whether to offer you the first set-up."""
    editor = context.editor
    if editor is None or "admin" not in viewer.scopes or editor.load().saved is None or editor.changes():
        return SetupBody(is_offered=False)
    return SetupBody(is_offered=not await context.messages.chats())


@contextmanager
def open_editor(context: HttpContext, request: Request) -> Iterator[SettingsEditor]:
    """Yield the editor; its errors become refusals that name the fields."""
    if context.editor is None:
        raise HttpRefused(409, "settings_fixed")
    language = request_language(request)
    try:
        yield context.editor
    except SettingsInvalid as error:
        problems = {key: field_problem(language, each) for key, each in error.problems.items()}
        raise invalid_fields(language, problems) from error
    except ConfigError as error:
        if not error.key:
            raise HttpRefused(409, "settings_fixed") from error
        problem = field_problem(language, config_problem(error, language))
        raise invalid_fields(language, {error.key: problem}) from error


def save_answer(editor: SettingsEditor, change: SettingsChange) -> SavedBody:
    """Apply a change, and return the keys that need a restart."""
    editor.apply()
    is_applied = editor.changed is not None
    restart = [key for key in change.after if not is_applied or key in RESTART_KEYS]
    return SavedBody(id=change.id, is_applied=is_applied, restart=restart)


def _change_entry(change: SettingsChange) -> ChangeEntry:
    return ChangeEntry(
        id=change.id,
        at=change.at,
        person=change.person,
        values=[
            ChangedValue(key=key, before=_public_value(key, change.before.get(key)), after=_public_value(key, after))
            for key, after in change.after.items()
        ],
        undoes=change.undoes,
        problem=change.problem,
    )


def _public_value(key: str, value: JsonValue) -> JsonValue:
    group, name = split_key(key)
    is_known = group in group_names() and name in setting_names(group)
    if not is_known or is_secret(group, name):
        return bool(value) or None
    return _mask_passwords(value)


def _entries(name: str, settings: Settings, origins: Mapping[str, Origin], has_file: bool) -> Iterator[SettingEntry]:
    kind, group = group_model(name), _group_of(settings, name)
    schemas = kind.model_json_schema()["properties"]
    for key in setting_names(name):
        field, value, full = kind.model_fields[key], getattr(group, key), f"{name}.{key}"
        origin = origins.get(full)
        secret = isinstance(value, SecretStr)
        schema = {name: each for name, each in schemas[key].items() if name not in {"description", "title", "default"}}
        yield SettingEntry(
            group=name,
            name=key,
            value=None if secret else _mask_passwords(as_json(value)),
            default=None if secret else as_json(field.get_default(call_default_factory=True, validated_data={})),
            description=field.description or "",
            is_secret=secret,
            is_set=bool(value.get_secret_value()) if isinstance(value, SecretStr) else value != field.default,
            value_schema=schema,
            origin="default" if origin is None else origin.kind,
            origin_name="" if origin is None else origin.name,
            is_editable=has_file and full not in FIXED_KEYS and (origin is None or origin.kind != "environment"),
            needs_restart=full in RESTART_KEYS,
        )


def _group_of(settings: Settings, name: str) -> Group:
    if name.startswith(_PLATFORM):
        return settings.platforms.group(name.removeprefix(_PLATFORM), group_model(name))
    group: Group = getattr(settings, name)
    return group


def _mask_passwords(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return SecretMask().text(value)
    return [_mask_passwords(each) for each in value] if isinstance(value, list) else value
