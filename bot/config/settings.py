"""Define the typed settings in groups, each with a default and a description."""

import re
from collections.abc import Mapping
from datetime import time
from pathlib import Path
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo

from pydantic import Field, JsonValue, SecretStr, field_validator

from bot.config.fields import ApiKey, Group, Origin, Place, WebAddress, invalid_value, secret
from services.people.privacy import MAX_RETENTION_DAYS
from services.people.zones import nearest_zone
from services.reminders.quiet_hours import QuietHours

G = TypeVar("G", bound=Group)

_DATABASES = ("sqlite://", "postgresql://", "postgresql+psycopg://")
_MAX_SECONDS = 86_400 * 365
_SPAN = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d")


class BotSettings(Group):
    """The name, language and data folder of the bot."""

    name: str = Field(default="Bubbles", min_length=1, description="Name that people call the bot by.")
    language: Literal["en", "zh", "es"] = Field(
        default="en", description="Language used where the person's own is not known."
    )
    timezone: str = Field(
        default="", description="IANA time zone of the bot, such as Europe/Berlin; empty = the machine's."
    )
    owners: tuple[Place, ...] = Field(
        default=(), description="People the bot obeys everywhere, as platform:id of the person."
    )
    data_dir: Path = Field(default=Path("data"), description="Folder of the database and of the log file.")
    settings_file: str = Field(
        default="settings.toml",
        pattern=r"^[^/\\]*$",
        description="File in that folder with the settings changed in the page; it wins over this file; empty = none.",
    )
    stall_seconds: int = Field(
        default=30,
        ge=0,
        description="Seconds after which a bot whose event loop stands still prints its stacks and ends; 0 = never.",
    )

    @property
    def zone_name(self) -> str:
        """Return the IANA name of the bot's zone: the setting, else the machine's; UTC where that names none."""
        if self.timezone:
            return self.timezone
        from tzlocal import get_localzone_name

        try:
            return get_localzone_name() or "UTC"
        except (LookupError, OSError, ValueError):
            return "UTC"

    @property
    def zone(self) -> ZoneInfo:
        """Return the bot's zone."""
        return ZoneInfo(self.zone_name)

    @field_validator("timezone")
    @classmethod
    def _check_timezone(cls, value: str) -> str:
        if value:
            try:
                ZoneInfo(value)
            except (KeyError, ValueError, OSError) as error:
                near = nearest_zone(value) or "Europe/Berlin"
                raise invalid_value("no_zone", value=value, near=near) from error
        return value


class RouterSettings(Group):
    """The selection of messages to interpret, and their rate limits."""

    listen: Literal["all", "addressed", "smart"] = Field(
        default="all",
        description="Group messages to interpret: all, addressed (to the bot), or smart (a small classifier decides).",
    )
    messages_per_minute: int = Field(
        default=60, ge=1, description="Messages of one person that are interpreted in a minute; more are recorded only."
    )
    chat_messages_per_minute: int = Field(
        default=300, ge=1, description="Messages of one chat that are interpreted in a minute; more are recorded only."
    )
    allowed_chats: tuple[Place, ...] = Field(
        default=(), description="Chats the bot serves, as platform:id; empty = every chat."
    )
    context_messages: int = Field(
        default=20, ge=0, le=200, description="Earlier messages that an interpreter is shown."
    )
    tool_timeout_seconds: float = Field(
        default=60.0,
        ge=0,
        description="Seconds that a function without a time limit of its own may take; 0 = no limit.",
    )
    stream_replies: bool = Field(
        default=True,
        description="Show a model's answer while it is written, where the platform lets messages be changed.",
    )


class ModelSettings(Group):
    """The language model; without a key and without an address the bot works offline."""

    base_url: WebAddress = Field(
        default="", description="Address of an OpenAI-compatible server; empty = OpenAI's own."
    )
    name: str = Field(default="gpt-4o-mini", min_length=1, description="Model name as that server knows it.")
    api_key: ApiKey = secret("Never written here: set OPENAI_API_KEY, BUBBLES_MODEL__API_KEY or …API_KEY_FILE.")
    function_calling: Literal["native", "prompt", "json_router", "auto"] = Field(
        default="auto",
        description="How tools are offered: native, prompt, json_router (enforced JSON), auto = ask once.",
    )
    chat_function_calling: dict[Place, Literal["native", "prompt", "json_router", "auto"]] = Field(
        default={}, description="The same for single chats, by platform:id of the chat."
    )
    task_name: str = Field(
        default="", description="Model of the same server that chooses functions in the style prompt; empty = name."
    )
    tools_prompt: str = Field(
        default="",
        description="Prompt of that choice, with {{TOOLS}} where the functions go; empty = that of Open WebUI.",
    )
    tool_search_above: int = Field(
        default=50,
        ge=0,
        description="Send more functions than this as a list of names and those that fit; 0 = send all.",
    )
    temperature: float = Field(
        default=0.0, ge=0, le=2, description="Sampling temperature; 0 chooses tools most steadily."
    )
    timeout_seconds: float = Field(
        default=30.0, gt=0, description="Seconds that one request may take, retries not counted."
    )
    max_retries: int = Field(default=2, ge=0, le=10, description="Times a failed request is sent again, with backoff.")
    stream: bool = Field(default=False, description="Read answers as they are written (server-sent events).")
    max_rounds: int = Field(default=8, ge=1, le=50, description="Model rounds that one message may take.")
    price_per_million_input: float = Field(
        default=0.0, ge=0, description="What a million prompt tokens cost, in any currency; 0 = nothing."
    )
    price_per_million_output: float = Field(
        default=0.0, ge=0, description="What a million completion tokens cost, in the same currency; 0 = nothing."
    )
    price_per_million_cached: float = Field(
        default=0.0, ge=0, description="What a million cached prompt tokens cost; 0 = as much as the others."
    )

    @field_validator("tools_prompt")
    @classmethod
    def _check_tools_prompt(cls, value: str) -> str:
        if value and "{{TOOLS}}" not in value:
            raise invalid_value("no_tools")
        return value

    @property
    def is_configured(self) -> bool:
        """Return whether a model is configured."""
        return bool(self.base_url or self.api_key.get_secret_value())


class BudgetSettings(Group):
    """Limits of the model usage; above a limit the bot answers without the model.

    Days are in the bot's time zone. The request that exceeds a limit is completed.
    """

    message_tokens: int = Field(default=0, ge=0, description="Tokens that one message may use; 0 = no limit.")
    message_cost: float = Field(default=0.0, ge=0, description="Money that one message may use; 0 = no limit.")
    person_tokens: int = Field(default=0, ge=0, description="Tokens that one person may use in a day; 0 = no limit.")
    person_cost: float = Field(default=0.0, ge=0, description="Money that one person may use in a day; 0 = no limit.")
    chat_tokens: int = Field(default=0, ge=0, description="Tokens that one chat may use in a day; 0 = no limit.")
    chat_cost: float = Field(default=0.0, ge=0, description="Money that one chat may use in a day; 0 = no limit.")
    day_tokens: int = Field(default=0, ge=0, description="Tokens that all chats may use in a day; 0 = no limit.")
    day_cost: float = Field(default=0.0, ge=0, description="Money that all chats may use in a day; 0 = no limit.")


class RecordSettings(Group):
    """The record of turns, calls, answers and costs; `bubbles explain` shows it."""

    keep_days: int = Field(
        default=90, ge=0, le=MAX_RETENTION_DAYS, description="Days that turns and calls are kept; 0 = for ever."
    )


class HistorySettings(Group):
    """The messages of the chats, stored for summaries and searches."""

    retention_days: int = Field(
        default=0,
        ge=0,
        le=MAX_RETENTION_DAYS,
        description="Days that messages are kept; 0 = for ever. Admins can set another time for their chat.",
    )


class MemorySettings(Group):
    """Facts that people asked the bot to remember."""

    max_per_person: int = Field(default=200, ge=1, description="Memories that one person may have in one chat.")
    max_per_chat: int = Field(default=1000, ge=1, description="Memories that one chat may have in all.")
    max_length: int = Field(default=1000, ge=1, description="Characters that one memory may have.")


class StorageSettings(Group):
    """The database."""

    url: str = Field(default="", description="SQLAlchemy URL; empty = SQLite file bubbles.db in the data folder.")

    @field_validator("url")
    @classmethod
    def _check_url(cls, value: str) -> str:
        if value and not value.startswith(_DATABASES):
            raise invalid_value("no_database", schemes=", ".join(_DATABASES))
        return value


class ReminderSettings(Group):
    """Limits and delivery of reminders."""

    max_per_person: int = Field(default=200, ge=1, description="Active reminders that one person may have in one chat.")
    max_content_length: int = Field(default=2000, ge=1, description="Characters that the text of a reminder may have.")
    late_after_seconds: int = Field(
        default=120, ge=1, le=_MAX_SECONDS, description="Seconds after which a reminder says when it was due."
    )
    quiet_hours: str = Field(
        default="",
        description="Hours such as 22:00-07:00, by the bot's clock, that reminders wait for the end of; empty = none.",
    )

    @field_validator("quiet_hours")
    @classmethod
    def _check_quiet_hours(cls, value: str) -> str:
        if value and not _SPAN.fullmatch(value):
            raise invalid_value("no_span")
        return value

    def quiet(self, zone: ZoneInfo) -> QuietHours | None:
        """Return the default quiet hours of chats, or None."""
        if not self.quiet_hours:
            return None
        starts, _, ends = self.quiet_hours.partition("-")
        return QuietHours(starts=time.fromisoformat(starts), ends=time.fromisoformat(ends), zone=zone.key)


class TimeSettings(Group):
    """The meaning of 3/4, of "morning" and of a day without a clock time."""

    date_order: Literal["ask", "mdy", "dmy", "ymd"] = Field(
        default="ask",
        description="What 3/4 is: mdy = 4 March, dmy = 3 April, ymd, ask = ask the person where it matters.",
    )
    day: time = Field(default=time(9), description="Clock time of a day without one, such as: tomorrow.")
    morning: time = Field(default=time(9), description="Clock time of the morning.")
    noon: time = Field(default=time(12), description="Clock time of noon.")
    afternoon: time = Field(default=time(15), description="Clock time of the afternoon.")
    evening: time = Field(default=time(19), description="Clock time of the evening.")
    night: time = Field(default=time(21), description="Clock time of the night.")

    @field_validator("day", "morning", "noon", "afternoon", "evening", "night", mode="before")
    @classmethod
    def _check_clock_time(cls, value: object) -> object:
        # Pydantic would read 9 as nine seconds past midnight.
        if isinstance(value, int | float) or (isinstance(value, str) and ":" not in value):
            raise invalid_value("no_clock_time")
        return value


class SearchSettings(Group):
    """Web search; it needs the key or the address of an engine."""

    engines: tuple[Literal["perplexity", "searxng", "tavily", "brave", "wikipedia"], ...] = Field(
        default=("perplexity", "tavily", "brave", "searxng", "wikipedia"),
        description="Engines in the order they are asked, if configured.",
    )
    timeout_seconds: float = Field(default=30.0, gt=0, le=_MAX_SECONDS, description="Seconds that one engine may take.")
    perplexity_api_key: ApiKey = secret("Never written here: set PERPLEXITY_API_KEY.")
    perplexity_base_url: str = Field(default="https://api.perplexity.ai", description="Address of Perplexity's API.")
    perplexity_model: str = Field(default="sonar", description="Perplexity model.")
    searxng_url: WebAddress = Field(
        default="", description="Address of a SearXNG instance with its JSON format enabled."
    )
    tavily_api_key: ApiKey = secret("Never written here: set TAVILY_API_KEY.")
    brave_api_key: ApiKey = secret("Never written here: set BRAVE_API_KEY.")
    wikipedia_contact: str = Field(
        default="", description="Your mail address or web page: Wikipedia needs no key, but wants to know who asks."
    )
    cache_minutes: float = Field(
        default=10.0,
        ge=0,
        le=_MAX_SECONDS / 60,
        description="Minutes that an answer is remembered; 0 = not at all.",
    )

    @property
    def configured_engines(self) -> list[str]:
        """Return the engines with a key or an address, in the order of requests."""
        places = {
            "perplexity": self.perplexity_api_key.get_secret_value(),
            "tavily": self.tavily_api_key.get_secret_value(),
            "brave": self.brave_api_key.get_secret_value(),
            "searxng": self.searxng_url,
            "wikipedia": self.wikipedia_contact,
        }
        return [name for name in self.engines if places[name]]


class WebSettings(Group):
    """Reading of web pages, from public addresses only."""

    timeout_seconds: float = Field(
        default=20.0, gt=0, le=30, description="Seconds that one page may take, redirects included."
    )
    max_kilobytes: int = Field(default=1000, ge=1, le=10_000, description="Size of the largest page that is read.")


class ToolServerSettings(Group):
    """Tools of other servers (OpenAPI, MCP), and tools that admins write."""

    urls: tuple[str, ...] = Field(default=(), description="Addresses of OpenAPI tool servers that need no key.")
    connections: SecretStr = secret(
        "Never written here: set TOOL_SERVER_CONNECTIONS, a JSON list of {url, key, headers, …}."
    )
    page_connections: SecretStr = Field(
        default=SecretStr(""), description="Connections that were added in the page, in the same form."
    )
    mcp_file: str = Field(
        default="", description='JSON file {"mcpServers": {name: {command, args} or {url}}}; empty = none.'
    )
    timeout_seconds: float = Field(
        default=30.0, gt=0, le=600, description="Seconds that a tool server may take to answer."
    )
    max_document_megabytes: int = Field(default=10, ge=1, le=200, description="Size of the largest OpenAPI document.")
    max_answer_kilobytes: int = Field(default=1000, ge=1, le=100_000, description="How much of one answer is read.")
    python_tools: bool = Field(
        default=False, description="Let the owners keep Python tools in the database and run them."
    )
    python_seconds: float = Field(
        default=20.0, gt=0, le=300, description="Seconds that a call of a Python tool may take."
    )
    python_megabytes: int = Field(
        default=512, ge=64, le=16_000, description="Memory that a call of a Python tool may take."
    )


class WorkspaceSettings(Group):
    """A folder in which the bot's owners read and write files and run commands from the chat."""

    folder: str = Field(
        default="",
        description="Folder of read_file, write_file, exec and spawn; apart from the bot's own; empty = off.",
    )
    folder_megabytes: int = Field(
        default=100, ge=1, le=100_000, description="Size of all files of the folder together."
    )
    exec_seconds: float = Field(default=30.0, gt=0, le=600, description="Seconds that a command may take.")
    exec_megabytes: int = Field(
        default=512, ge=64, le=16_000, description="Memory that each process of a command may take."
    )


class HttpSettings(Group):
    """The HTTP API and the web page; `bubbles run` serves them if the extra `web` is installed."""

    enabled: bool = Field(default=True, description="Serve the page and the API.")
    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on; beyond this machine needs a token of 16 characters or more.",
    )
    port: int = Field(default=8765, ge=0, le=65535, description="Port to listen on; 0 = any that is free.")
    open_page: bool = Field(
        default=True, description="Open the page in a browser when started at a terminal of a desktop."
    )
    token: SecretStr = secret("Never written here: set BUBBLES_HTTP__TOKEN, the admin's token of the API.")
    allowed_hosts: tuple[str, ...] = Field(
        default=(), description="Host names that requests may be for, besides this machine's; with a token empty = any."
    )
    allowed_origins: tuple[str, ...] = Field(
        default=(), description="Other pages that may use the API from a browser, such as https://chat.example.org."
    )
    page_tool_servers: tuple[Origin, ...] = Field(
        default=(), description="Tool servers that people may add to their own page, such as http://127.0.0.1:8000."
    )
    requests_per_minute: int = Field(default=1200, ge=1, description="Requests that one person may make in a minute.")
    max_connections: int = Field(
        default=1000,
        ge=10,
        description="Connections that are open at once; fewer where the system allows fewer open files.",
    )
    max_connections_per_address: int = Field(
        default=200, ge=1, description="Connections of one address at once; more where a reverse proxy stands in front."
    )
    max_body_kilobytes: int = Field(default=1000, ge=1, description="Size of the largest request.")
    max_upload_kilobytes: int = Field(
        default=10_000,
        ge=0,
        le=100_000,
        description="Size of the largest file that people may send in a room; 0 = none.",
    )
    max_unused_upload_kilobytes: int = Field(
        default=50_000,
        ge=0,
        description="Size of all files of one person that no message uses; they are deleted after an hour.",
    )
    upload_types: tuple[str, ...] = Field(
        default=("png", "jpg", "jpeg", "gif", "webp", "pdf", "txt", "md", "csv", "ics"),
        description="Endings of the names of files that people may send in a room.",
    )


class LogSettings(Group):
    """The log; it has message text at DEBUG only, and never secrets."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Least severity that is logged."
    )
    format: Literal["text", "json"] = Field(
        default="text", description="Lines of text, or of JSON for programs to read."
    )
    to_file: bool = Field(
        default=True, description="Also write bubbles.log in the data folder, a new file every 10 MB."
    )


class TelemetrySettings(Group):
    """OpenTelemetry spans and metrics by the conventions for generative AI; needs the extra `telemetry`."""

    endpoint: str = Field(
        default="", description="OTLP/HTTP address of the collector, such as http://127.0.0.1:4318; empty = none."
    )
    metrics: bool = Field(
        default=True, description="Also send metrics: tokens, durations of requests, agents and functions."
    )
    content: bool = Field(
        default=False, description="Also send texts of messages and answers, arguments and results; secrets are masked."
    )


class PlatformSettings(Group):
    """Chat platforms to connect to; each has its group, `[platforms.NAME]`."""

    enabled: tuple[str, ...] = Field(
        default=("console",), description="Platforms that `bubbles run` serves: console, or any with a group below."
    )
    groups: Mapping[str, Group] = {}

    def group(self, name: str, kind: type[G]) -> G:
        """Return the settings of a platform, by default the defaults of `kind`."""
        found = self.groups.get(name)
        return found if isinstance(found, kind) else kind()


class ConsoleSettings(Group):
    """The terminal as a group chat."""

    person: str = Field(default="", description="Who you are at the start; empty = your login name.")
    room: str = Field(default="home", min_length=1, description="Name of the room that the terminal is in.")


class PluginSettings(Group):
    """Plugins; see docs/tutorial."""

    folder: Path = Field(
        default=Path("plugins"), description="Folder whose Python files are plugins, beside installed ones."
    )
    installed: bool = Field(default=True, description="Whether plugins of installed packages are loaded.")
    disabled: tuple[str, ...] = Field(default=(), description="Plugins to leave out, by name.")
    options: dict[str, dict[str, JsonValue]] = Field(
        default={}, description="What a plugin is told: one table [plugins.options.NAME] each."
    )


class SkillSettings(Group):
    """Folders with instructions that a model loads when a task needs them; needs the extra `skills`."""

    folder: Path = Field(default=Path("skills"), description="Folder of the skills; each is a folder with a SKILL.md.")
    pins: dict[str, str] = Field(
        default={}, description="The sha256 of each skill that is offered, by its name; `bubbles check` shows it."
    )


class Settings(Group):
    """All settings of an operator."""

    bot: BotSettings = BotSettings()
    router: RouterSettings = RouterSettings()
    model: ModelSettings = ModelSettings()
    budget: BudgetSettings = BudgetSettings()
    record: RecordSettings = RecordSettings()
    storage: StorageSettings = StorageSettings()
    history: HistorySettings = HistorySettings()
    memory: MemorySettings = MemorySettings()
    reminders: ReminderSettings = ReminderSettings()
    time: TimeSettings = TimeSettings()
    search: SearchSettings = SearchSettings()
    web: WebSettings = WebSettings()
    tool_servers: ToolServerSettings = ToolServerSettings()
    workspace: WorkspaceSettings = WorkspaceSettings()
    http: HttpSettings = HttpSettings()
    plugins: PluginSettings = PluginSettings()
    skills: SkillSettings = SkillSettings()
    log: LogSettings = LogSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    platforms: PlatformSettings = PlatformSettings()
    console: ConsoleSettings = ConsoleSettings()

    @property
    def database_url(self) -> str:
        """Return the SQLAlchemy URL of the database."""
        return self.storage.url or f"sqlite:///{self.bot.data_dir / 'bubbles.db'}"

    @property
    def mcp_token_folder(self) -> Path:
        """Return the folder for the tokens of sign-ins at MCP servers of `tool_servers.connections`."""
        return self.bot.data_dir / "mcp-tokens"

    def with_console(self, person: str | None) -> "Settings":
        """Return the settings with the console as the only platform, used by `person`."""
        console = self.console if person is None else self.console.model_copy(update={"person": person})
        platforms = self.platforms.model_copy(update={"enabled": ("console",)})
        http = self.http.model_copy(update={"enabled": False})
        return self.model_copy(update={"platforms": platforms, "console": console, "http": http})
