"""Check plugins, tool servers, the sandbox and name clashes."""

from typing import TYPE_CHECKING, Final

import click

from bot.config.terminal import printable
from bot.platforms.kit.doctor import Finding, good, problem, warning
from bot.plugins.validation import lint_contributions
from bot.tools.stored.sandbox import SandboxUnavailable, check_kernel

if TYPE_CHECKING:
    from bot.app.inspection import InspectedPlugin, InspectedSource, Inspection

_KINDS: Final = {
    "openapi": "OpenAPI server",
    "mcp": "MCP server",
    "plugin": "toolset of a plugin",
    "skill": "skills",
    "python": "database of tools",
}


def print_finding(finding: Finding) -> None:
    """Print a finding in one line, with its kind in colour."""
    word, colour = (
        ("problem", "red") if finding.is_problem else ("warning", "yellow") if finding.is_warning else ("ok", "green")
    )
    click.echo(click.style(f"{word:<9}", fg=colour) + printable(f"{finding.about}: {finding.state_text}"))


def examine_tools(inspection: "Inspection") -> list[Finding]:
    """Return a finding for each plugin, source of tools and clash of names."""
    doubts = [finding for each in inspection.plugins for finding in doubt_findings(each)]
    return [
        *map(plugin_finding, inspection.plugins),
        *doubts,
        *map(source_finding, inspection.sources),
        *clash_findings(inspection),
    ]


def plugin_finding(each: "InspectedPlugin") -> Finding:
    """Return the tools of a plugin, or its error."""
    about = f"plugin {each.plugin.name}"
    if each.plugin.error:
        return problem(about, f"does not work: {each.plugin.error}", "fix it, or name it in plugins.disabled")
    names = ", ".join(spec.name for spec in each.specs)
    return good(about, f"functions: {names}" if names else "works, adds no functions")


def doubt_findings(each: "InspectedPlugin") -> list[Finding]:
    """Return warnings about probable mistakes of a plugin: a hidden plugin, a missing docstring."""
    found, about = each.plugin.found, f"plugin {each.plugin.name}"
    told = f"is {found.origin}; {', '.join(found.hides)} has the same name and is left out: rename one of them"
    doubts = [] if each.plugin.error else lint_contributions(each.plugin.adds, each.specs)
    return [warning(about, doubt) for doubt in ([told] if found.hides else []) + doubts]


def source_finding(each: "InspectedSource") -> Finding:
    """Return the number of tools of a source, or its error."""
    about = f"{_KINDS.get(each.source.kind, each.source.kind)} {each.source.label}"
    if each.source.kind == "python" and each.specs:
        return sandbox_finding(about, len(each.specs))
    if not each.health.is_ok:
        hint = "check that it runs, its address and its key; the bot keeps trying"
        if each.health.is_final:
            hint = "correct the setting and start the bot again; the other connections are used"
        return problem(about, each.health.detail, hint)
    detail = f" ({each.health.detail})" if each.health.detail else ""
    return good(about, f"answers, tools: {len(each.specs)}{detail}")


def sandbox_finding(about: str, tools: int) -> Finding:
    """Return the level of the sandbox for stored tools, or why none of them can run."""
    try:
        level = check_kernel()
    except SandboxUnavailable as error:
        return problem(about, f"{error}; none of its tools runs", "run the bot on such a machine, or remove the tools")
    return good(about, f"answers, tools: {tools} (confined by {level})")


def clash_findings(inspection: "Inspection") -> list[Finding]:
    """Return each tool name of several sources, with its owner and the new names of the other tools."""
    return [
        good("tool names", f"several offer {each.name}: {each.kept_by} keeps it, beside {', '.join(each.renamed)}")
        for each in inspection.clashes
    ]
