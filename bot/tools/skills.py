"""Read skills from their folders, compare them with their pins, and offer each pinned skill as a tool.

A skill is a folder with instructions that a model loads when a task needs them.
Source: https://agentskills.io/specification
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from bot.config.settings import SkillSettings
from function_calls.model_calls.transcript import MAX_RESULT_LENGTH
from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, short_name, unknown_tool
from function_calls.toolsets.source import ToolSource

INSTRUCTIONS: Final = "SKILL.md"
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MAX_NAME_LENGTH: Final = 64
_MAX_DESCRIPTION_LENGTH: Final = 1024
_MAX_FILES: Final = 200
_MAX_BYTES: Final = 5_000_000
_FRONT_MATTER: Final = re.compile(r"---\r?\n(?P<fields>.*?)\r?\n---[ \t]*(?:\r?\n|\Z)(?P<text>.*)", re.DOTALL)
LABEL: Final = "skills"
_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "file": {
            "type": "string",
            "description": "A file that the instructions name; leave it out for the instructions.",
        }
    },
    "additionalProperties": False,
}


class SkillInvalid(ValueError):
    """A folder is not a valid skill."""


class Skill(Struct, frozen=True, kw_only=True):
    """A skill. `files` are its files by path; `digest` is the sha256 of their paths and contents."""

    name: str
    description: str
    instructions: str
    folder: Path
    files: Mapping[str, bytes]
    digest: str


class FoundSkills(Struct, frozen=True, kw_only=True):
    """The skills that may be offered, and the problems of others by name."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


def find_skills(settings: SkillSettings) -> FoundSkills:
    """Read the skills of the settings; those that match their pins may be offered."""
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
    missing = [name for name in settings.pins if name not in folders]
    problems += [(name, f"has a pin and no folder in {settings.folder}") for name in missing]
    return FoundSkills(skills=tuple(skills), problems=tuple(problems))


def read_skill(folder: Path) -> Skill:
    """Read the skill in `folder`.

    Raises:
        SkillInvalid: the skill cannot be read, or does not follow the specification.
    """
    try:
        files = dict(_read_files(folder))
        digest = _digest(files)
    except OSError as error:
        raise SkillInvalid(f"it cannot be read: {error}") from error
    except UnicodeEncodeError as error:
        raise SkillInvalid("the name of a file is not UTF-8") from error
    fields, instructions = _parse(text_of(files, INSTRUCTIONS))
    name, description = fields.get("name"), fields.get("description")
    if name != folder.name or not _NAME.fullmatch(folder.name) or len(folder.name) > _MAX_NAME_LENGTH:
        form = f"at most {_MAX_NAME_LENGTH} small letters, digits and single hyphens"
        raise SkillInvalid(f"`name` has to be the name of the folder, of {form}")
    if not isinstance(description, str) or not 0 < len(description.strip()) <= _MAX_DESCRIPTION_LENGTH:
        raise SkillInvalid(f"`description` has to be a text of at most {_MAX_DESCRIPTION_LENGTH} characters")
    return Skill(
        name=folder.name,
        description=" ".join(description.split()),
        instructions=instructions.strip(),
        folder=folder,
        files=files,
        digest=digest,
    )


def text_of(files: Mapping[str, bytes], path: str) -> str:
    """Return the text of a file of a skill.

    Raises:
        SkillInvalid: the file is missing, not text, or longer than a result for a model.
    """
    if path not in files:
        raise SkillInvalid(f"there is no file {path}; there are: {', '.join(files) or 'none'}")
    try:
        text = files[path].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SkillInvalid(f"{path} is not a text") from error
    if len(text) > MAX_RESULT_LENGTH:
        raise SkillInvalid(f"{path} has {len(text)} characters; a model is given {MAX_RESULT_LENGTH}: split the file")
    return text


def _folders(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if (path / INSTRUCTIONS).is_file()}


def _read_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a skill by their path, without hidden ones.

    Raises:
        SkillInvalid: a file is a link, or the files are too many or too large.
    """
    count, bytes_left = 0, _MAX_BYTES
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if any(part.startswith(".") for part in relative.parts):
            continue
        if path.is_symlink():
            raise SkillInvalid(f"{relative.as_posix()} is a link; a skill has its files itself")
        if path.is_file():
            count, bytes_left = count + 1, bytes_left - path.stat().st_size
            if count > _MAX_FILES or bytes_left < 0:
                raise SkillInvalid(f"it has more than {_MAX_FILES} files or {_MAX_BYTES // 1_000_000} MB")
            yield relative.as_posix(), path.read_bytes()


def _parse(text: str) -> tuple[Mapping[str, object], str]:
    """Return the front matter of a SKILL.md and the text below it."""
    found = _FRONT_MATTER.fullmatch(text)
    if found is None:
        raise SkillInvalid(f"{INSTRUCTIONS} has to begin with front matter between two lines of ---")
    try:
        import yaml
    except ImportError as error:
        raise SkillInvalid("it needs PyYAML: in the project's folder, pip install -e '.[skills]'") from error
    try:
        fields = yaml.safe_load(found["fields"])
    # The library raises the errors of a lookup or a missing match for values that do not fit their tag.
    except (yaml.YAMLError, ValueError, RecursionError, LookupError, AttributeError) as error:
        raise SkillInvalid(f"the front matter of {INSTRUCTIONS} is not YAML") from error
    return fields if isinstance(fields, Mapping) else {}, found["text"]


def _digest(files: Mapping[str, bytes]) -> str:
    digest = sha256()
    for path, content in files.items():
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


class SkillToolset:
    """Offers skills to everybody. Their texts are untrusted: they can give no permissions."""

    def __init__(self, skills: Iterable[Skill]) -> None:
        self._skills = {short_name(f"skill_{skill.name.replace('-', '_')}"): skill for skill in skills}
        self._specs = tuple(
            ToolSpec(name=name, description=f"Instructions to follow: {skill.description}", parameters=_PARAMETERS)
            for name, skill in self._skills.items()
        )

    async def list_specs(self, viewer: Viewer) -> tuple[ToolSpec, ...]:
        """Return a tool for each skill."""
        del viewer
        return self._specs

    async def call(self, name: str, arguments: Mapping[str, object], context: CallContext) -> ToolResult:
        """Return the text of a skill, if it still matches its pin."""
        skill = self._skills.get(name)
        if skill is None:
            return unknown_tool(name, self._skills, context.language)
        try:
            text = await asyncio.to_thread(_load, skill, str(arguments.get("file", INSTRUCTIONS)))
        except SkillInvalid as error:
            return ToolResult.failed(f"skill '{skill.name}': {error}")
        return ToolResult(ok=True, text=text, value=text, is_untrusted=True)


def skill_sources(settings: SkillSettings) -> list[ToolSource]:
    """Return the source of the pinned skills, if there are any."""
    skills = find_skills(settings).skills
    return [ToolSource(label=LABEL, kind="skill", toolset=SkillToolset(skills), title=LABEL)] if skills else []


def _load(pinned: Skill, path: str) -> str:
    """Read a file of a skill again.

    Raises:
        SkillInvalid: the skill has changed since it was pinned, or has no such file.
    """
    skill = read_skill(pinned.folder)
    if skill.digest != pinned.digest:
        raise SkillInvalid("its files have changed since it was pinned")
    if path != INSTRUCTIONS:
        return text_of(skill.files, path)
    others = [each for each in skill.files if each != INSTRUCTIONS]
    return "\n\n".join([skill.instructions, *([f"Files: {', '.join(others)}"] if others else [])])
