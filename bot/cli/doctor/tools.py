"""Check plugins, tool servers, the sandbox and name clashes."""

import platform
import sys
from typing import TYPE_CHECKING, Final

import click

from bot.config.terminal import printable
from bot.platforms.kit.doctor import Finding, good, problem, warning
from bot.plugins.validation import lint_contributions
from bot.tools.stored.sandbox import SandboxUnavailable, check_kernel
from function_calls.language.messages import Message, say
from function_calls.toolsets.source import Health

if TYPE_CHECKING:
    from bot.app.inspection import InspectedSource, Inspection
    from bot.plugins.manager import InstalledPlugin

_SOURCES: Final = {"plugin": "toolset", "skill": "skills"}
"""The messages about sources of tools that are called otherwise than their kind."""
_LOCAL_STEPS: Final = {"server.no_mcp": "source_extra", "server.no_command": "source_command"}
"""The next steps for problems of this machine, where no server was asked."""


def print_finding(finding: Finding, language: str) -> None:
    """Print a finding in one line, with its kind in colour."""
    kind, colour = (
        ("problem", "red") if finding.is_problem else ("warning", "yellow") if finding.is_warning else ("ok", "green")
    )
    word = click.style(f"{say(language, f'doctor.{kind}'):<9}", fg=colour)
    click.echo(word + printable(f"{finding.about_in(language)}: {finding.state_in(language)}"))


def examine_tools(inspection: "Inspection") -> list[Finding]:
    """Return a finding for each plugin, source of tools and clash of names."""
    doubts = [finding for each in inspection.plugins for finding in doubt_findings(each)]
    return [
        *map(plugin_finding, inspection.plugins),
        *doubts,
        *map(source_finding, inspection.sources),
        *clash_findings(inspection),
    ]


def plugin_finding(each: "InstalledPlugin") -> Finding:
    """Return the tools of a plugin, or its error."""
    name = each.plugin.name
    if each.plugin.error:
        return problem("plugin", "plugin_broken", "plugin_fix", plugin=name, reason=each.plugin.error)
    names = ", ".join(spec.name for spec in each.tools)
    return good("plugin", "plugin_functions" if names else "plugin_plain", plugin=name, names=names)


def doubt_findings(each: "InstalledPlugin") -> list[Finding]:
    """Return warnings about probable mistakes of a plugin: a hidden plugin, a missing docstring."""
    found, name = each.plugin.found, each.plugin.name
    doubts = [] if each.plugin.error else lint_contributions(each.plugin.adds, each.tools)
    fields = {"plugin": name, "origin": found.origin, "names": ", ".join(found.hides)}
    hidden = [warning("plugin", "plugin_hides", **fields)] if found.hides else []
    return hidden + [warning("plugin", "plugin_doubt", plugin=name, doubt=doubt) for doubt in doubts]


def source_finding(each: "InspectedSource") -> Finding:
    """Return the number of tools of a source, or its error."""
    about, label = _SOURCES.get(each.source.kind, each.source.kind), each.source.label
    if each.source.kind == "python" and each.specs:
        return sandbox_finding(label, len(each.specs))
    if not each.health.is_ok:
        return problem(about, "source_fails", _step_of(each.health), label=label, reason=each.health.detail)
    state = "source_tools_detail" if each.health.detail else "source_tools"
    return good(about, state, label=label, count=len(each.specs), detail=each.health.detail)


def _step_of(health: Health) -> str:
    if isinstance(health.detail, Message) and health.detail.key in _LOCAL_STEPS:
        return _LOCAL_STEPS[health.detail.key]
    return "source_correct" if health.is_final else "source_check"


def sandbox_finding(label: str, tools: int) -> Finding:
    """Return the level of the sandbox for the stored tools of `label`, or why none of them can run."""
    try:
        level = check_kernel()
    except SandboxUnavailable as error:
        fields = {"label": label, "system": sys.platform, "machine": platform.machine()}
        return problem("python", f"sandbox_{error.missing}", "sandbox_machine", **fields)
    return good("python", "sandbox_ok", label=label, count=tools, level=level)


def clash_findings(inspection: "Inspection") -> list[Finding]:
    """Return each tool name of several sources, with its owner and the new names of the other tools."""
    return [
        good("tool names", "names_clash", name=each.name, owner=each.kept_by, others=", ".join(each.renamed))
        for each in inspection.clashes
    ]
