"""Opening the page in a browser on a desktop."""

import pytest

from bot.cli.page import has_desktop

LINUX, MAC, WINDOWS = "linux", "darwin", "win32"


@pytest.mark.parametrize(
    ("system", "environment"),
    [(LINUX, {"DISPLAY": ":0"}), (LINUX, {"WAYLAND_DISPLAY": "wayland-0"}), (MAC, {}), (WINDOWS, {})],
)
def test_at_the_terminal_of_a_desktop_the_page_is_opened(system: str, environment: dict[str, str]):
    assert has_desktop(system, environment, is_terminal=True)


@pytest.mark.parametrize(
    ("system", "environment"),
    [(LINUX, {}), (LINUX, {"DISPLAY": ":10", "SSH_CONNECTION": "10.0.0.2 1 10.0.0.3 22"}), (MAC, {"CI": "true"})],
)
def test_page_is_not_opened_without_a_desktop(system: str, environment: dict[str, str]):
    assert not has_desktop(system, environment, is_terminal=True)


def test_service_without_a_terminal_opens_no_page():
    assert not has_desktop(LINUX, {"DISPLAY": ":0"}, is_terminal=False)
