"""Uploaded files: names, addresses, owners and deletion."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.platforms.web.files import RoomFiles, TooManyUploads, image_type


@pytest.fixture
def files(tmp_path):
    return RoomFiles(tmp_path / "files")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\ann\\desk.png", "desk.png"),
        ('a"\r\nX-Evil: 1.png', "a___X-Evil_ 1.png"),
        ("周报 (终稿).pdf", "周报 (终稿).pdf"),
        (".png", "png"),
        ("…", "_"),
        ("x" * 300 + ".png", "x" * 96 + ".png"),
        ("x" * 95 + " y.png", "x" * 95 + ".png"),
        ("报" * 100 + ".pdf", "报" * 60 + ".pdf"),
        ("x." + "报" * 100, "x." + "报" * 19),
    ],
    ids=["climbs", "windows", "header", "chinese", "ending only", "odd", "long", "space", "many bytes", "long ending"],
)
async def test_a_name_is_harmless_and_finds_its_file(files, name, expected):
    attachment = await files.keep(name, b"content")

    assert attachment.description == expected
    _, _, key, stored_name = attachment.url.split("/")
    assert (await files.find(key, stored_name)).read_bytes() == b"content"


async def test_addresses_of_two_files_of_one_name_are_unrelated(files):
    first, second = await files.keep("a.txt", b"1"), await files.keep("a.txt", b"2")

    assert first.url != second.url


@pytest.mark.parametrize("key", ["..", "../files", "", "A" * 22, "A" * 21 + "/"])
async def test_unknown_key_opens_nothing(files, key):
    await files.keep("a.txt", b"1")

    assert await files.find(key, "a.txt") is None


async def test_removed_file_is_deleted_and_other_addresses_delete_nothing(files, tmp_path):
    attachment = await files.keep("a.txt", b"1")
    (tmp_path / "other").mkdir()

    for url in (None, "https://example.org/files/x", "/files/../other", "/files/"):
        await files.remove(url)
    _, _, key, name = attachment.url.split("/")
    assert await files.find(key, name) is not None
    await files.remove(attachment.url)

    assert await files.find(key, name) is None
    assert (tmp_path / "other").exists()


async def test_file_belongs_to_its_first_message(files):
    attachment = await files.keep("a.txt", b"1")

    files_taken = [await files.take(attachment.url, message) for message in ("one", "two", "one")]

    assert files_taken == [True, False, True]


async def test_imported_file_belongs_to_its_imported_message(files):
    url = f"/files/{'A' * 22}/a.txt"
    await files.put(url, b"1")

    assert not await files.take(url, "one")


async def test_unknown_file_has_no_owner(files):
    urls = (None, "https://example.org/a.txt", f"/files/{'A' * 22}/a.txt", "/files/../other")

    assert all([await files.take(url, message) for url in urls for message in ("one", "two")])


async def test_old_files_are_deleted(files):
    await files.keep("a.txt", b"1")

    now = datetime.now(UTC)

    assert await files.purge(now - timedelta(days=1)) == 0
    assert await files.purge(now + timedelta(days=1)) == 1


def test_file_that_can_contain_scripts_is_not_a_picture():
    assert image_type("a.PNG") == "image/png"
    assert image_type("a.svg") is None
    assert image_type("a.html") is None


async def test_an_upload_counts_once_while_it_is_stored(files):
    async with files.unused.reserve("ann", 9, max_bytes=20) as key:
        await files.keep("a.txt", b"123456789", "ann", key)
        async with files.unused.reserve("ann", 9, max_bytes=20):
            with pytest.raises(TooManyUploads):
                async with files.unused.reserve("ann", 9, max_bytes=20):
                    pass


async def test_uploads_that_no_message_took_are_deleted_after_a_while(files, tmp_path):
    unused = await files.keep("a.txt", b"1", uploaded_by="ann")
    used = await files.keep("b.txt", b"2", uploaded_by="ann")
    await files.take(used.url, "one")
    now = datetime.now(UTC)

    early = await files.remove_unused(now - timedelta(hours=1))
    late = await files.remove_unused(now + timedelta(hours=1))

    assert (early, late) == (0, 1)
    assert await files.read(unused.url) is None
    assert await files.read(used.url) == b"2"
    assert await files.remove_unused(now + timedelta(hours=1)) == 0


async def test_files_are_readable_by_the_bot_alone(files, tmp_path):
    await files.keep("a.txt", b"1", uploaded_by="ann")

    modes = {each.is_dir(): each.stat().st_mode & 0o777 for each in (tmp_path / "files").rglob("*")}

    assert modes == {True: 0o700, False: 0o600}
