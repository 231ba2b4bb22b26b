"""Fetching of web pages: addresses, redirects and limits, with servers on loopback."""

import asyncio
import ipaddress
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from services.search.model import PageUnavailable
from services.search.web_pages.guard import GuardedBackend, is_public, open_guarded_pool
from services.search.web_pages.service import WebPageService

LOOPBACK = ipaddress.ip_address("127.0.0.1")


@asynccontextmanager
async def serve(*answers: bytes):
    """Serve these answers in order, then always the last one; without any, never answer.

    Yields its port and what it was asked.
    """
    requests: list[str] = []

    tasks: list[asyncio.Task[None]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(asyncio.current_task())
        head = await reader.readuntil(b"\r\n\r\n")
        requests.append(head.decode().split("\r\n")[0])
        if answers:
            writer.write(answers[min(len(requests), len(answers)) - 1])
            await writer.drain()
        else:
            await reader.read()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], requests
        await asyncio.gather(*tasks)


def html(body: str, *, kind: str = "text/html; charset=utf-8", more: str = "") -> bytes:
    data = body.encode()
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{more}Content-Length: {len(data)}\r\n\r\n".encode() + data


def redirect(place: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()


def service(*, inner: tuple[str, ...] = (), **options) -> WebPageService:
    """Return a service that resolves names to loopback, or to a private address for names in `inner`."""

    async def resolve(host: str, port: int):
        return (ipaddress.ip_address("10.0.0.7"),) if host in inner else (LOOPBACK,)

    backend = GuardedBackend(allows=lambda address: address == LOOPBACK, resolve=resolve)
    return WebPageService(lambda: open_guarded_pool(backend), **options)


async def test_a_page_is_read_as_text():
    async with serve(html("<title>Tea</title><p>Green <b>tea</b> 茶</p>")) as (port, requests):
        page = await service().fetch(f"http://shop.test:{port}/tea?kind=green#top")

    assert (page.title, page.text, page.is_cut) == ("Tea", "Green tea 茶", False)
    assert requests == ["GET /tea?kind=green HTTP/1.1"]


async def test_an_address_in_chinese_goes_over_the_wire():
    async with serve(html("ok")) as (port, requests):
        await service().fetch(f"http://茶.test:{port}/绿茶")

    assert requests == ["GET /%E7%BB%BF%E8%8C%B6 HTTP/1.1"]


async def test_redirects_are_followed_and_the_last_address_is_returned():
    async with serve(redirect("/new"), html("ok")) as (port, _):
        page = await service().fetch(f"http://shop.test:{port}/old")

    assert page.url == f"http://shop.test:{port}/new"


async def test_a_redirect_into_the_own_network_is_refused():
    async with serve(redirect("http://inside.test/secret")) as (port, requests):
        with pytest.raises(PageUnavailable, match="address"):
            await service(inner=("inside.test",)).fetch(f"http://shop.test:{port}/")

    assert len(requests) == 1


async def test_name_that_resolves_to_an_internal_address_later_is_refused():
    looks = [LOOPBACK, ipaddress.ip_address("169.254.169.254")]

    async def resolve(host: str, port: int):
        return (looks.pop(0),)

    backend = GuardedBackend(allows=lambda address: address == LOOPBACK, resolve=resolve)
    async with serve(redirect("/again"), html("secret")) as (port, _):
        with pytest.raises(PageUnavailable, match="address"):
            await WebPageService(lambda: open_guarded_pool(backend)).fetch(f"http://shop.test:{port}/")


async def test_one_internal_address_among_public_ones_is_refused():
    async def resolve(host: str, port: int):
        return (LOOPBACK, ipaddress.ip_address("10.0.0.7"))

    backend = GuardedBackend(allows=lambda address: address == LOOPBACK, resolve=resolve)
    with pytest.raises(PageUnavailable, match="address"):
        await WebPageService(lambda: open_guarded_pool(backend)).fetch("http://shop.test/")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433", "0x7f.1", "[::ffff:7f00:1]"]
)
async def test_the_own_machine_is_refused_by_default(host):
    async with serve(html("secret")) as (port, requests):
        with pytest.raises(PageUnavailable):
            await WebPageService().fetch(f"http://{host}:{port}/")

    assert requests == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a.test/",
        "http://",
        "http://u:p@a.test/",
        "javascript://x",
        "x" * 3000,
    ],
)
async def test_invalid_web_address_is_refused(url):
    with pytest.raises(PageUnavailable, match="address"):
        await service().fetch(url)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (html("x", kind="image/png"), "content_type image/png"),
        (html("x", more="Content-Encoding: gzip\r\n"), "malformed packed"),
        (html("x" * 2000), "too_large"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "status 404"),
        (redirect("/again"), "redirects"),
        (redirect("file:///etc/passwd"), "address"),
        (redirect("http://["), "malformed"),
        (b"nonsense\r\n\r\n", "malformed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "malformed"),
    ],
)
async def test_an_answer_that_cannot_be_read_is_refused_with_its_reason(answer, reason):
    async with serve(answer) as (port, _):
        with pytest.raises(PageUnavailable, match=reason):
            await service(max_bytes=1000).fetch(f"http://shop.test:{port}/")


async def test_server_that_never_answers_is_cancelled():
    async with serve() as (port, _):
        with pytest.raises(PageUnavailable, match="timeout"):
            await service(timeout=timedelta(seconds=0.2)).fetch(f"http://shop.test:{port}/")


async def test_a_character_set_of_the_page_is_used():
    page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<meta charset=gbk>绿茶".encode("gbk")

    async with serve(page) as (port, _):
        assert (await service().fetch(f"http://shop.test:{port}/")).text == "绿茶"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:4700:4700::1111", True),
        ("10.0.0.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
        ("64:ff9b:1::1", False),
        ("2a00::5efe:7f00:1", False),  # ISATAP of 127.0.0.1
        ("2a00::200:5efe:a00:1", False),  # ISATAP of 10.0.0.1
        ("168.63.129.16", False),
        ("3fff::1", False),
        ("5f00::1", False),
    ],
)
def test_public_and_internal_addresses_are_distinguished(address, public):
    assert is_public(ipaddress.ip_address(address)) is public


@pytest.mark.parametrize(
    ("charset", "body"), [("punycode", "a" * 200_000), ("utf-7", "+2AA-"), ("idna", "tea"), ("undefined", "tea")]
)
async def test_charset_that_no_browser_knows_is_read_as_utf_8(charset, body):
    async with serve(html(body, kind=f"text/plain; charset={charset}")) as (port, _):
        page = await service(timeout=timedelta(seconds=3)).fetch(f"http://shop.test:{port}/")

    assert page.text == body[:20_000]
