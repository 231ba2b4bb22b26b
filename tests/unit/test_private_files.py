"""Files that are replaced as a whole, for this user only."""

import stat

import pytest

from services.kernel.private_files import FILE_MODE, replace_file


def test_file_is_replaced_for_this_user_only(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("old", encoding="utf-8")

    with replace_file(path) as file:
        file.write("new")

    assert path.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(path.stat().st_mode) == FILE_MODE


def test_failed_write_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("old", encoding="utf-8")

    with pytest.raises(UnicodeEncodeError), replace_file(path) as file:
        file.write("new \ud800")

    assert [(each, each.read_text(encoding="utf-8")) for each in tmp_path.iterdir()] == [(path, "old")]


def test_error_names_the_file_and_leaves_no_draft(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()

    with pytest.raises(OSError, match="folder") as raised, replace_file(folder) as file:
        file.write("new")

    assert raised.value.filename == str(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_left_draft_with_a_link_is_replaced(tmp_path):
    path, other = tmp_path / "note.txt", tmp_path / "other.txt"
    other.write_text("other", encoding="utf-8")
    (tmp_path / ".note.txt.unfinished").symlink_to(other)

    with replace_file(path) as file:
        file.write("new")

    assert (path.read_text(encoding="utf-8"), other.read_text(encoding="utf-8")) == ("new", "other")
