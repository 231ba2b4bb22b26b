"""Files that browsers request besides the page."""

import pytest


@pytest.mark.parametrize("path", ["/icon.svg", "/favicon.ico"])
async def test_the_icon_is_where_browsers_look_for_it(api, path):
    answered = await api.get(path)

    assert (answered.status_code, answered.headers["content-type"]) == (200, "image/svg+xml")


@pytest.mark.parametrize("name", ["..%2fpage_files.py", "assets", "a" * 300])
async def test_unknown_file_of_the_page_is_not_found(api, name):
    assert (await api.get(f"/{name}")).status_code == 404


READER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/nosuch", "/nosuch/deeper"])
async def test_unknown_address_shows_readers_the_page_and_programs_an_error(api, path):
    page = await api.get(path, headers=READER)
    program = await api.get(path)
    posted = await api.post(path, headers=READER)

    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<div id="root">' in page.text
    assert (program.status_code, program.json()["code"]) == (404, "not_found")
    assert posted.status_code in {404, 405}


@pytest.mark.parametrize("path", ["/api/nosuch", "/v1/nosuch", "/assets/nosuch.js"])
async def test_unknown_address_of_the_api_is_an_error_for_everybody(api, path):
    answer = await api.get(path, headers=READER)

    assert answer.status_code == 404
    assert not answer.headers["content-type"].startswith("text/html")
