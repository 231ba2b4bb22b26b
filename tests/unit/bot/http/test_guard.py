"""Guards of HTTP requests: hosts, origins, tokens, sizes and rate limits."""

import asyncio
from datetime import UTC, datetime

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from bot.config.settings import HttpSettings
from bot.http.app import build_guarded_app
from bot.http.core.tokens import MAX_TOKENS, Tokens
from bot.http.security.networks import check_bind_policy
from bot.testing.clocks import FixedClock, StandingClock
from services.kernel.errors import ConfigError, StorageBusy, StorageUnavailable
from services.kernel.state import MemoryStateStore
from tests.support.http_bot import with_token

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
SEND = {"session_id": "lobby", "message": "remind me in 10 minutes to stretch"}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::", "", "evil.example:8765"])
async def test_another_host_name_is_refused(api, host):
    answer = await api.get("/api/tools", headers={"Host": host})

    assert (answer.status_code, answer.json()["code"]) == (403, "host_unknown")


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1:8765", "[::1]:8765"])
async def test_the_names_of_this_machine_are_served(api, host):
    assert (await api.get("/health/live", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:3000", "https://localhost"])
async def test_a_page_of_another_origin_is_refused(api, origin):
    answer = await api.post("/api/chat/send", json=SEND, headers={"Origin": origin})

    assert (answer.status_code, answer.json()["code"]) == (403, "origin_unknown")


async def test_the_own_page_is_served(api):
    answer = await api.get("/api/tools", headers={"Origin": "http://127.0.0.1:8765"})

    assert answer.status_code == 200


async def test_other_sites_get_no_cors_headers(api):
    answer = await api.options("/api/tools", headers={"Access-Control-Request-Method": "POST"})

    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_every_answer_has_the_headers_that_browsers_obey(api):
    for path in ("/", "/api/tools", "/api/nothing"):
        headers = (await api.get(path)).headers

        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def sources_of(answer):
    """Return the sources that a page may connect to, by the policy of a response."""
    directives = answer.headers["content-security-policy"].split("; ")
    return next(each.split()[1:] for each in directives if each.startswith("connect-src "))


async def test_the_page_connects_to_the_bot_and_to_no_other_host(api):
    assert sources_of(await api.get("/")) == ["'self'"]


async def test_the_page_connects_to_exactly_the_tool_servers_of_the_settings(api_of):
    servers = ("http://127.0.0.1:8000", "https://tools.example.org", "http://[::1]:9")
    api = await api_of(http=HttpSettings(port=0, page_tool_servers=servers))

    assert sources_of(await api.get("/")) == ["'self'", *servers]


@pytest.mark.parametrize("server", ["*", "tools.example.org", "http://*.org", "http://a; script-src *", "http://a/b"])
def test_tool_server_of_the_page_is_an_allowed_origin_only(server):
    with pytest.raises(ValidationError):
        HttpSettings(page_tool_servers=(server,))


async def test_a_request_beyond_the_limit_is_refused(api_of):
    api = await api_of(http=HttpSettings(port=0, max_body_kilobytes=1))

    async def pieces():
        for _ in range(20):
            yield b" " * 100

    announced = await api.post("/api/chat/send", content=b" " * 2000)
    unannounced = await api.post("/api/chat/send", content=pieces(), headers={"Content-Type": "application/json"})

    assert (announced.status_code, announced.json()["code"]) == (413, "too_large")
    assert unannounced.status_code == 413


async def test_too_many_requests_are_refused(api_of):
    api = await api_of(http=HttpSettings(port=0, requests_per_minute=3))

    codes = [(await api.get("/health/live")).status_code for _ in range(4)]

    assert codes == [200, 200, 200, 429]


async def test_rate_limit_error_has_the_waiting_time(api_of):
    api = await api_of(http=HttpSettings(port=0, requests_per_minute=3), clock=StandingClock(NOON))

    answers = [await api.get("/health/live") for _ in range(4)]

    assert answers[-1].headers["retry-after"] == "20"


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", 429),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", 401),
        ("::ffff:192.0.2.1", "192.0.2.1", 429),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", 401),
        ("192.0.2.1", "192.0.2.2", 401),
    ],
)
async def test_wrong_tokens_from_one_ipv6_network_share_a_rate_limit(api_of, first, second, code):
    api = await api_of(http=HttpSettings(port=0, requests_per_minute=1, token=SecretStr("s3cret-token")))
    app = build_guarded_app(api.context)

    async def guess(host):
        transport = httpx.ASGITransport(app=app, client=(host, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
            return (await client.get("/api/tools", headers={"Authorization": "Bearer guess"})).status_code

    assert (await guess(first), await guess(second)) == (401, code)


async def test_every_token_has_its_own_rate_limit(api_of):
    api = await api_of(http=HttpSettings(port=0, requests_per_minute=3, token=SecretStr("s3cret-token")))
    tokens = api.context.tokens
    given = [(await tokens.issue("Ann", "member"))[1] for _ in range(2)]
    revoked = (await tokens.issue("Ben", "member"))[1]

    async def codes(secret, times):
        headers = {"Authorization": f"Bearer {secret}"}
        return [(await api.get("/api/tools", headers=headers)).status_code for _ in range(times)]

    assert await codes(given[0], 4) == [200, 200, 200, 429]
    assert await codes(given[1], 4) == [200, 200, 200, 429]
    assert await codes("s3cret-token", 1) == [200]
    await tokens.revoke((await tokens.find(revoked)).id)
    assert await codes(revoked, 4) == [401, 401, 401, 429]


async def test_with_a_token_every_route_needs_it(api_of):
    api = await api_of(http=with_token("s3cret-token"))

    response = await api.get("/api/tools")
    wrong = await api.get("/api/tools", headers={"Authorization": "Bearer other"})
    served = await api.get("/api/tools", headers={"Authorization": "Bearer s3cret-token"})

    assert (response.status_code, wrong.status_code, served.status_code) == (401, 401, 200)
    assert (response.json()["code"], wrong.json()["code"]) == ("unauthorized", "token_unknown")
    assert wrong.json()["detail"].startswith("This access token is not valid")
    assert response.headers["www-authenticate"] == "Bearer"


async def test_long_token_of_the_operator_is_accepted_too(api_of):
    token = "s3cret-" * 60
    api = await api_of(http=with_token(token))

    assert (await api.get("/api/tools", headers={"Authorization": f"Bearer {token}"})).status_code == 200
    assert (await api.get("/api/tools", headers={"Authorization": f"Bearer {token}x"})).status_code == 401


@pytest.mark.parametrize("path", ["/", "/health/live", "/health/ready"])
async def test_the_page_and_the_probes_need_no_token(api_of, path):
    api = await api_of(http=with_token("s3cret-token"))

    assert (await api.get(path)).status_code == 200


async def test_member_acts_as_themselves_and_has_no_admin_rights(api_of):
    api = await api_of(http=with_token("s3cret-token"))
    admin = {"Authorization": "Bearer s3cret-token"}
    made = await api.post("/api/admin/tokens", json={"name": "Ann", "role": "member"}, headers=admin)
    member = {"Authorization": f"Bearer {made.json()['token']}"}

    as_other = await api.post("/api/chat/send", json={**SEND, "name": "Lin"}, headers=member)
    as_self = await api.post("/api/chat/send", json=SEND, headers=member)
    administering = await api.get("/api/admin/settings", headers=member)

    assert (as_other.status_code, as_other.json()["code"]) == (403, "not_your_name")
    assert as_self.status_code == 200
    assert (administering.status_code, administering.json()["code"]) == (403, "scope_missing")


async def test_a_token_is_held_to_its_scopes(api_of):
    api = await api_of(http=with_token("s3cret-token"))
    admin = {"Authorization": "Bearer s3cret-token"}
    request = {"name": "Ann", "role": "member", "scopes": ["reminders", "admin"]}
    made = (await api.post("/api/admin/tokens", json=request, headers=admin)).json()
    held = {"Authorization": f"Bearer {made['token']}"}

    assert made["scopes"] == ["reminders"]
    assert (await api.get("/api/reminders", headers=held)).status_code == 200
    assert (await api.get("/api/tools", headers=held)).status_code == 403


async def test_revoked_token_is_refused(api_of):
    api = await api_of(http=with_token("s3cret-token"))
    admin = {"Authorization": "Bearer s3cret-token"}
    made = (await api.post("/api/admin/tokens", json={"name": "Ann"}, headers=admin)).json()

    await api.delete(f"/api/admin/tokens/{made['id']}", headers=admin)

    assert (await api.get("/api/tools", headers={"Authorization": f"Bearer {made['token']}"})).status_code == 401


async def test_settings_are_shown_without_secrets(api_of):
    api = await api_of(http=with_token("s3cret-token"))

    response = await api.get("/api/admin/settings", headers={"Authorization": "Bearer s3cret-token"})

    assert "s3cret-token" not in response.text


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.20"])
def test_without_a_token_other_machines_are_refused(host):
    with pytest.raises(ConfigError, match="BUBBLES_HTTP__TOKEN"):
        check_bind_policy(HttpSettings(host=host))
    check_bind_policy(with_token("a token that is long", host=host))


@pytest.mark.parametrize("token", ["x", "s3cret-token", "fifteen letters"])
def test_a_token_that_can_be_guessed_serves_this_machine_only(token):
    with pytest.raises(ConfigError, match="token_urlsafe") as error:
        check_bind_policy(with_token(token, host="0.0.0.0"))
    check_bind_policy(with_token(token, host="127.0.0.1"))

    assert error.value.key == "http.token"
    assert token not in str(error.value)


@pytest.mark.parametrize(("language", "word"), [("en", "nothing"), ("zh-CN,zh;q=0.9", "什么")])
async def test_errors_are_in_the_language_of_the_client(api, language, word):
    body = (await api.get("/api/nothing", headers={"Accept-Language": language})).json()

    assert set(body) == {"code", "detail", "hint", "fields"}
    assert word in body["detail"]


class SlowStateStore(MemoryStateStore):
    async def get(self, key):
        found = await super().get(key)
        await asyncio.sleep(0)
        return found


@pytest.fixture
def workers():
    """Yield the token stores of two workers on one database."""
    clock = FixedClock(datetime(2026, 11, 20, tzinfo=UTC))
    state = SlowStateStore(clock)
    return Tokens(state, clock), Tokens(state, clock)


async def test_tokens_that_two_workers_issue_at_once_are_valid(workers):
    issued = await asyncio.gather(*(tokens.issue("Ann", "member") for tokens in workers))

    assert all([await workers[0].find(secret) for _, secret in issued])


async def test_token_stays_revoked_if_another_worker_issues_one_meanwhile(workers):
    token, secret = await workers[0].issue("Ann", "member")
    await asyncio.gather(workers[0].revoke(token.id), workers[1].issue("Ben", "member"))

    assert await workers[0].find(secret) is None
    assert [each.name for each in await workers[0].list_tokens()] == ["Ben"]


async def test_token_above_the_limit_is_refused_and_revokes_none(api_of):
    api = await api_of(http=with_token("s3cret-token"))
    issued = [await api.context.tokens.issue("Ann", "member") for _ in range(MAX_TOKENS)]
    signed = {"Authorization": "Bearer s3cret-token"}
    response = await api.post("/api/admin/tokens", json={"name": "Ben", "role": "member"}, headers=signed)

    assert (response.status_code, response.json()["code"]) == (409, "too_many_tokens")
    assert await api.context.tokens.find(issued[0][1])


@pytest.mark.parametrize("error", [StorageUnavailable("db", "gone"), StorageBusy("db", "another")])
async def test_token_that_cannot_be_looked_up_is_an_outage(api, monkeypatch, error):
    async def fail(*_):
        raise error

    monkeypatch.setattr(api.context.state, "get", fail)
    answer = await api.get("/api/tools", headers={"Authorization": "Bearer bub_any"})

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
