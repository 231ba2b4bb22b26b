"""Call Slack's Web API through its SDK, and convert its errors to `DeliveryFailed`."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

from aiohttp import ClientConnectorError, ClientError, ClientResponse
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from bot.platforms.kit.events import mapping
from services.kernel.bounded import BoundedDict
from services.kernel.chat import ChatAddress, Person, SentFile
from services.kernel.clock import Clock
from services.kernel.errors import DeliveryFailed
from services.kernel.network import parse_retry_after

_TRANSIENT: Final = {
    "ratelimited",
    "internal_error",
    "fatal_error",
    "service_unavailable",
    "request_timeout",
    "team_added_to_org",
}
_DEFAULT_RETRY_AFTER: Final = 30.0
_TRUSTED_FOR = timedelta(hours=1)
_REMEMBERED_PEOPLE = 10_000
_PAGE: Final = 1000


def web_client(token: str, api_url: str) -> AsyncWebClient:
    """Return a client without retries, which would send a message twice when its response is lost."""
    return AsyncWebClient(token=token, base_url=api_url, timeout=20, retry_handlers=[])


class WebApi:
    """The methods of the Web API, asked with the bot's token."""

    def __init__(self, client: AsyncWebClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._people: BoundedDict[str, tuple[datetime, Person]] = BoundedDict(_REMEMBERED_PEOPLE)

    async def ask(self, method: str, parameters: Mapping[str, object]) -> Mapping[str, object]:
        """Call `method`."""
        with _convert_errors():
            answer = await self._client.api_call(method, json=dict(parameters))
        return mapping(answer.data)

    async def upload(self, address: ChatAddress, file: SentFile) -> None:
        """Share `file` in a chat; Slack shows it a moment later and returns no message id."""
        with _convert_errors():
            await self._client.files_upload_v2(
                channel=address.chat_id,
                thread_ts=address.thread_id,
                content=file.content,
                filename=file.name,
                request_file_info=False,
            )

    async def members(self, channel: str) -> AsyncIterator[str]:
        """Yield the ids of those who are in a channel."""
        cursor = ""
        while True:
            with _convert_errors():
                answer = await self._client.conversations_members(channel=channel, cursor=cursor, limit=_PAGE)
            page = mapping(answer.data)
            found = page.get("members")
            for member in found if isinstance(found, list) else []:
                yield str(member)
            cursor = str(mapping(page.get("response_metadata")).get("next_cursor", ""))
            if not cursor:
                return

    async def people(self, users: set[str]) -> dict[str, Person]:
        """Return users by id, cached for an hour; those that Slack refuses have only an id."""
        return {user: await self._person(user) for user in users}

    async def _person(self, user: str) -> Person:
        asked_at, known = self._people.get(user, (None, Person(id=user, name=user)))
        if asked_at is not None and timedelta() <= self._clock.now() - asked_at < _TRUSTED_FOR:
            return known
        try:
            with _convert_errors():
                answer = await self._client.api_call("users.info", params={"user": user})
        except DeliveryFailed:
            return known
        person = _to_person(user, mapping(answer.get("user")))
        self._people[user] = (self._clock.now(), person)
        return person


@contextmanager
def _convert_errors() -> Iterator[None]:
    try:
        yield
    except SlackApiError as error:
        raise to_delivery_failed(error) from error
    except SlackRequestError as error:
        raise DeliveryFailed(f"slack: {error}", is_unknown=True) from error
    except (ClientError, TimeoutError, OSError) as error:
        is_sent = not isinstance(error, ClientConnectorError)
        raise DeliveryFailed(f"slack: {error}", is_unknown=is_sent) from error
    except (AttributeError, ValueError) as error:  # the SDK takes every answer with status 200 for an object
        raise DeliveryFailed("slack: the answer is not a JSON object", is_unknown=True) from error


def to_delivery_failed(error: SlackApiError) -> DeliveryFailed:
    """Return the error of a message for a refusal by Slack."""
    # The answer may have no JSON object; where it only claims to have one, the SDK gives the response of aiohttp.
    response = error.response
    status = response.status if isinstance(response, ClientResponse) else response.status_code
    answer = mapping(getattr(response, "data", None))
    reason = str(answer.get("error", error))
    headers = {name.lower(): value for name, value in dict(response.headers).items()}
    if reason == "ratelimited" or status == 429:
        return DeliveryFailed("slack: rate limit", retry_after=parse_retry_after(headers) or _DEFAULT_RETRY_AFTER)
    if status == 200 and "error" not in answer:
        return DeliveryFailed("slack: the answer is not a JSON object", is_unknown=True)
    is_passing = reason in _TRANSIENT or status >= 500
    return DeliveryFailed(f"slack: {reason}", is_permanent=not is_passing)


def _to_person(user: str, found: Mapping[str, object]) -> Person:
    display = mapping(found.get("profile")).get("display_name")
    return Person(
        id=user,
        name=str(display or found.get("real_name") or found.get("name") or user),
        is_admin=bool(found.get("is_admin") or found.get("is_owner")),
        is_bot=bool(found.get("is_bot")),
        username=str(found.get("name") or ""),
    )
