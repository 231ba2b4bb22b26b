"""What browsers ask for besides the page."""

import pytest


@pytest.mark.parametrize("path", ["/icon.svg", "/favicon.ico"])
async def test_the_icon_is_where_browsers_look_for_it(api, path):
    answered = await api.get(path)

    assert (answered.status_code, answered.headers["content-type"]) == (200, "image/svg+xml")


async def test_a_file_that_is_none_of_the_page_is_not_found(api):
    assert (await api.get("/..%2fpage_files.py")).status_code == 404
