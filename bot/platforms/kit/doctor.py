"""Report findings of the doctor, and probe servers over HTTP."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from msgspec import Struct, field

from bot.platforms.kit.events import mapping, mappings
from function_calls.language.messages import knows, say
from services.kernel.clock import Clock
from services.kernel.network import trusted_certificates

if TYPE_CHECKING:
    import httpx

_TIMEOUT_SECONDS = 15.0


class Finding(Struct, frozen=True, kw_only=True):
    """One line of the report: its subject and state, and for a problem the next step of the operator.

    `about`, `state` and `step` are names of messages with `fields` (`doctor.about.<name>`, `doctor.<name>`), or English
    text. A warning is about something that works, but is probably not intended.
    """

    about: str
    state: str
    step: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)
    is_warning: bool = False

    def about_in(self, language: str) -> str:
        """Return the subject in `language`."""
        key = f"doctor.about.{self.about.replace(' ', '_')}"
        return say(language, key, **self.fields) if knows(key) else self.about

    def state_in(self, language: str) -> str:
        """Return the state in `language`."""
        return self._word(language, self.state)

    def next_step_in(self, language: str) -> str:
        """Return the next step in `language`; empty for none."""
        return self._word(language, self.step)

    def _word(self, language: str, text: str) -> str:
        return say(language, f"doctor.{text}", **self.fields) if knows(f"doctor.{text}") else text

    @property
    def is_problem(self) -> bool:
        """Return whether somebody must act."""
        return bool(self.step)


def good(about: str, state: str, **fields: object) -> Finding:
    """Return a finding without a problem."""
    return Finding(about=about, state=state, fields=fields)


def problem(about: str, state: str, step: str, **fields: object) -> Finding:
    """Return a problem with its next step."""
    return Finding(about=about, state=state, step=step, fields=fields)


def warning(about: str, state: str, **fields: object) -> Finding:
    """Return a warning."""
    return Finding(about=about, state=state, fields=fields, is_warning=True)


class ProbeResult(Struct, frozen=True, kw_only=True):
    """An answer, or the `problem` why there is none, with `status` 0. Header names are in lower case.

    `listed` are the objects of an answer that is a list, instead of `body`.
    """

    status: int = 0
    body: Mapping[str, object] = field(default_factory=dict)
    listed: Sequence[Mapping[str, object]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def is_ok(self) -> bool:
        """Return whether the server fulfilled the request."""
        return 200 <= self.status < 300


def refusal(answer: ProbeResult, about: str, step: str, key: str, *, network: str = "network") -> Finding:
    """Return the problem that a server did not answer, or refused `about` (`slack token`) for the reason in `key`."""
    if answer.problem:
        return problem(about.partition(" ")[0], "unreachable", network, reason=answer.problem)
    return problem(about, "refused", step, reason=answer.body.get(key, answer.status))


class Prober:
    """A client whose requests never raise. `skews` are the leads of the clocks of servers over that of this machine."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        import httpx  # every start imports this module, for its findings

        self._http = httpx.AsyncClient(timeout=_TIMEOUT_SECONDS, verify=trusted_certificates())
        self.skews: dict[str, timedelta] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def ask(
        self,
        method: str,
        url: str,
        body: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        token: str = "",
    ) -> ProbeResult:
        """Make a request, with the access `token` if there is one; failures are part of the result."""
        import httpx

        try:
            bearer = {"Authorization": f"Bearer {token}"} if token else {}
            response = await self._http.request(method, url, json=body, headers={**bearer, **(headers or {})})
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return ProbeResult(problem=str(error) or type(error).__name__)
        self._note_time(response)
        try:
            found = response.json()
        except ValueError:
            found = {}
        return ProbeResult(
            status=response.status_code,
            body=mapping(found),
            listed=mappings(found),
            headers={name.lower(): value for name, value in response.headers.items()},
        )

    def _note_time(self, response: "httpx.Response") -> None:
        try:
            server_time: datetime = parsedate_to_datetime(response.headers["Date"])
        except (KeyError, ValueError):
            return
        self.skews[response.url.host] = server_time - self._clock.now()
