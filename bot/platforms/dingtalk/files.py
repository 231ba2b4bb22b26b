"""Prepare files for DingTalk: pictures, some document types, and a ZIP archive for all others.

Source: https://open.dingtalk.com/document/orgapp/upload-media-files
"""

import io
import zipfile
from typing import Final

from services.kernel.chat import SentFile

MAX_KILOBYTES: Final = 20_000
"""The largest file."""

_PICTURES: Final = {"image/jpeg", "image/png", "image/gif", "image/bmp"}
_DOCUMENTS: Final = {"doc", "docx", "pdf", "rar", "xlsx", "zip"}


def is_picture(file: SentFile) -> bool:
    """Return whether DingTalk shows `file` as a picture."""
    return file.media_type in _PICTURES


def ending(file: SentFile) -> str:
    """Return the last part of its name, by which DingTalk knows what it is."""
    return file.name.rpartition(".")[2].lower()


def takeable(file: SentFile) -> SentFile:
    """`file` as it is, or packed where DingTalk would not take it."""
    if is_picture(file) or ending(file) in _DOCUMENTS:
        return file
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(file.name, file.content)
    return SentFile(name=f"{file.name}.zip", media_type="application/zip", content=packed.getvalue())
