"""Permissions of the data folder and the log, and failures to write them."""

import errno
import os
import stat

import pytest
from loguru import logger

from bot.cli.runner import restrict_data_folder
from bot.config.settings import LogSettings
from bot.observability.logs import LogFile, configure_logging
from services.kernel.errors import StorageFull


@pytest.fixture(autouse=True)
def usual_umask():
    umask = os.umask(0o022)
    yield
    os.umask(umask)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_log_and_its_folder_are_readable_by_the_bot_alone(tmp_path):
    configure_logging(LogSettings(), tmp_path / "data", is_quiet=True)
    logger.info("one line")
    logger.remove()

    assert (mode(tmp_path / "data"), mode(tmp_path / "data" / "bubbles.log")) == (0o700, 0o600)


def test_existing_data_folder_is_closed_to_others_and_that_is_logged_once(tmp_path):
    folder = tmp_path / "data"
    upload = folder / "files" / "key" / "desk.png"
    upload.parent.mkdir(parents=True)
    for each in (upload, folder / "bubbles.db", folder / "bubbles.db.schema-3", folder / "bubbles.log"):
        each.write_text("x", encoding="utf-8")
    lines = []
    number = logger.add(lines.append, level="WARNING")

    restrict_data_folder(folder)
    restrict_data_folder(folder)
    logger.remove(number)

    assert {mode(each) for each in folder.rglob("*") if each.is_file()} == {0o600}
    assert {mode(each) for each in (folder, folder / "files", upload.parent)} == {0o700}
    assert len([line for line in lines if "other users" in line]) == 1


def test_working_folder_as_data_folder_keeps_its_mode(tmp_path, monkeypatch):
    tmp_path.chmod(0o755)
    (tmp_path / "bubbles.db").touch()
    monkeypatch.chdir(tmp_path)

    restrict_data_folder(tmp_path)

    assert (mode(tmp_path), mode(tmp_path / "bubbles.db")) == (0o755, 0o600)


def test_unwritable_log_is_reported_once_without_a_trace(tmp_path, capsys, monkeypatch):
    class FullFile:
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

        def seek(self, *_):
            return 0

        def tell(self):
            return 0

        def close(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(LogFile, "_open", lambda _: FullFile())
    configure_logging(LogSettings(), tmp_path, is_quiet=True)
    for _ in range(20):
        logger.info("one line")
    logger.remove()
    output = capsys.readouterr().err

    assert output.count("cannot be written") == 1
    assert "Traceback" not in output


def test_full_disk_is_logged_without_a_trace(tmp_path):
    configure_logging(LogSettings(), tmp_path, is_quiet=True)
    try:
        raise StorageFull("bubbles.db")
    except StorageFull as error:
        logger.opt(exception=error).error("delivery worker retries after {}", error)
    logger.remove()
    text = (tmp_path / "bubbles.log").read_text(encoding="utf-8")

    assert "make room" in text
    assert "Traceback" not in text


def test_log_is_rotated_and_five_old_files_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("bot.observability.logs._MAX_BYTES", 1000)
    configure_logging(LogSettings(), tmp_path, is_quiet=True)
    for number in range(200):
        logger.info("line {} of the log", number)
    logger.remove()

    assert len(list(tmp_path.glob("bubbles.log*"))) == 6
    assert "line 199 of the log" in (tmp_path / "bubbles.log").read_text(encoding="utf-8")
