"""Offer each skill as a tool that returns its instructions, or another file of it."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final

from bot.config.settings import SkillSettings
from bot.tools.skills.reading import INSTRUCTIONS, Skill, SkillInvalid, find_skills, read_skill, text_of
from function_calls.tools.calls import ToolResult, ToolSpec
from function_calls.tools.context import CallContext
from function_calls.tools.toolset import Viewer, short_name, unknown_tool
from function_calls.toolsets.source import ToolSource

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


class SkillToolset:
    """Offers skills to everybody. Their texts are given to a model as untrusted: they have no rights of their own."""

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
        """Return the text of a skill that is still as it was pinned."""
        skill = self._skills.get(name)
        if skill is None:
            return unknown_tool(name, self._skills, context.language)
        try:
            text = await asyncio.to_thread(_load, skill, str(arguments.get("file", INSTRUCTIONS)))
        except SkillInvalid as error:
            return ToolResult.failed(f"skill '{skill.name}': {error}")
        return ToolResult(ok=True, text=text, value=text, is_untrusted=True)


def skill_sources(settings: SkillSettings) -> list[ToolSource]:
    """Return the pinned skills as a source of tools; none where there are none."""
    skills = find_skills(settings).skills
    return [ToolSource(label=LABEL, kind="skill", toolset=SkillToolset(skills), title=LABEL)] if skills else []


def _load(pinned: Skill, path: str) -> str:
    """Return the text of a file of a skill, read anew.

    Raises:
        SkillInvalid: the skill has changed since it was pinned, or has no such text.
    """
    skill = read_skill(pinned.folder)
    if skill.digest != pinned.digest:
        raise SkillInvalid("its files have changed since it was pinned")
    if path != INSTRUCTIONS:
        return text_of(skill.files, path)
    others = [each for each in skill.files if each != INSTRUCTIONS]
    return "\n\n".join([skill.instructions, *([f"Files: {', '.join(others)}"] if others else [])])
