"""Read skills from their folders, and compare them with their pins.

Source: https://agentskills.io/specification
"""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from bot.config.settings import SkillSettings
from function_calls.model_calls.transcript import LONGEST_RESULT

INSTRUCTIONS: Final = "SKILL.md"
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_NAME: Final = 64
_LONGEST_DESCRIPTION: Final = 1024
_MOST_FILES: Final = 200
_MOST_BYTES: Final = 5_000_000
_FRONT_MATTER: Final = re.compile(r"---\r?\n(?P<fields>.*?)\r?\n---[ \t]*(?:\r?\n|\Z)(?P<text>.*)", re.DOTALL)


class SkillInvalid(ValueError):
    """A folder is not a skill; the text says why."""


class Skill(Struct, frozen=True, kw_only=True):
    """A skill. `files` are all of its files by their path; `digest` is the sha256 of their paths and contents."""

    name: str
    description: str
    instructions: str
    folder: Path
    files: Mapping[str, bytes]
    digest: str


class FoundSkills(Struct, frozen=True, kw_only=True):
    """The skills that may be offered, and why others may not, by their names."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


def find_skills(settings: SkillSettings) -> FoundSkills:
    """Read every skill in the folder of the settings; those that are as they were pinned may be offered."""
    skills, problems = [], []
    folders = _folders(settings.folder)
    for name, folder in folders.items():
        try:
            skill = read_skill(folder)
        except SkillInvalid as error:
            problems.append((name, f"is not offered: {error}"))
            continue
        if settings.pins.get(name) == skill.digest:
            skills.append(skill)
        else:
            state = "has changed since it was pinned" if name in settings.pins else "is not pinned"
            line = f'{name} = "{skill.digest}"'
            problems.append((name, f"{state} and is not offered: read it, then write {line} under [skills.pins]"))
    gone = [name for name in settings.pins if name not in folders]
    problems += [(name, f"has a pin and no folder in {settings.folder}") for name in gone]
    return FoundSkills(skills=tuple(skills), problems=tuple(problems))


def read_skill(folder: Path) -> Skill:
    """Read the skill in `folder`.

    Raises:
        SkillInvalid: it cannot be read, or is not what the specification asks for.
    """
    try:
        files = dict(_read_files(folder))
    except OSError as error:
        raise SkillInvalid(f"it cannot be read: {error}") from error
    fields, instructions = _parse(text_of(files, INSTRUCTIONS))
    name, description = fields.get("name"), fields.get("description")
    if name != folder.name or not _NAME.fullmatch(folder.name) or len(folder.name) > _LONGEST_NAME:
        form = f"at most {_LONGEST_NAME} small letters, digits and single hyphens"
        raise SkillInvalid(f"`name` has to be the name of the folder, of {form}")
    if not isinstance(description, str) or not 0 < len(description.strip()) <= _LONGEST_DESCRIPTION:
        raise SkillInvalid(f"`description` has to be a text of at most {_LONGEST_DESCRIPTION} characters")
    return Skill(
        name=folder.name,
        description=" ".join(description.split()),
        instructions=instructions.strip(),
        folder=folder,
        files=files,
        digest=_digest(files),
    )


def text_of(files: Mapping[str, bytes], path: str) -> str:
    """Return the text of a file of a skill.

    Raises:
        SkillInvalid: there is none, or it is no text that a model is given whole.
    """
    if path not in files:
        raise SkillInvalid(f"there is no file {path}; there are: {', '.join(files) or 'none'}")
    try:
        text = files[path].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SkillInvalid(f"{path} is not a text") from error
    if len(text) > LONGEST_RESULT:
        raise SkillInvalid(f"{path} has {len(text)} characters; a model is given {LONGEST_RESULT}: split the file")
    return text


def _folders(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if (path / INSTRUCTIONS).is_file()}


def _read_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a skill by their path; hidden ones are neither read nor offered.

    Raises:
        SkillInvalid: one is a link, or they are too many or too large.
    """
    count, room = 0, _MOST_BYTES
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if any(part.startswith(".") for part in relative.parts):
            continue
        if path.is_symlink():
            raise SkillInvalid(f"{relative.as_posix()} is a link; a skill has its files itself")
        if path.is_file():
            count, room = count + 1, room - path.stat().st_size
            if count > _MOST_FILES or room < 0:
                raise SkillInvalid(f"it has more than {_MOST_FILES} files or {_MOST_BYTES // 1_000_000} MB")
            yield relative.as_posix(), path.read_bytes()


def _parse(text: str) -> tuple[Mapping[str, object], str]:
    """Return the front matter of a SKILL.md and the text below it."""
    found = _FRONT_MATTER.fullmatch(text)
    if found is None:
        raise SkillInvalid(f"{INSTRUCTIONS} has to begin with front matter between two lines of ---")
    try:
        import yaml
    except ImportError as error:
        raise SkillInvalid("it needs PyYAML; install it: pip install .[skills]") from error
    try:
        fields = yaml.safe_load(found["fields"])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SkillInvalid(f"the front matter of {INSTRUCTIONS} is not YAML") from error
    return fields if isinstance(fields, Mapping) else {}, found["text"]


def _digest(files: Mapping[str, bytes]) -> str:
    digest = sha256()
    for path, content in files.items():
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
