"""Documentation of every setting, function, command, hook, event, route and error."""

import ast
import re
from pathlib import Path

import pytest

from bot.app.registry import built_in_registry
from docs.generator.commands import commands, commands_page
from docs.generator.errors import error_classes, errors_page, refusals
from docs.generator.extension_points import contributions, extension_page, hooks, options
from docs.generator.functions import functions_page
from docs.generator.http_routes import http_page, http_routes
from docs.generator.mkdocs_hook import GENERATED
from docs.generator.settings import documented, groups, settings_page, variable
from function_calls.language.messages import catalogue
from function_calls.tools.declaration.tool_options import ToolOptions
from function_calls.tools.dispatch import events

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "function_calls", "services")
SETTINGS = [(name, key, field) for name, group in groups().items() for key, field in documented(group)]


@pytest.mark.parametrize(("group", "key", "field"), SETTINGS, ids=[f"{group}.{key}" for group, key, _ in SETTINGS])
def test_every_setting_is_on_the_page_with_its_meaning(group, key, field):
    section = settings_page().split(f"## `[{group}]`")[1].split("\n## ")[0]

    assert f"| `{key}` |" in section
    assert f"`{variable(group, key)}`" in section
    assert len(field.description) >= 10


def test_unknown_group_of_settings_is_detected():
    assert "## `[nowhere]`" not in settings_page()


@pytest.mark.parametrize("tool", list(built_in_registry()), ids=lambda tool: tool.name)
def test_every_function_is_on_the_page_with_its_arguments(tool):
    section = functions_page().split(f"## `{tool.name}`\n")[1].split("\n## ")[0]
    properties = tool.spec.parameters.get("properties", {})

    assert tool.spec.description in section
    assert [name for name in properties if f"| `{name}` |" not in section] == []


@pytest.mark.parametrize(
    "tool", [each for each in built_in_registry() if not each.options.is_only_for_undo], ids=lambda tool: tool.name
)
def test_every_argument_of_a_function_has_a_description(tool):
    properties = tool.spec.parameters.get("properties", {})

    assert [name for name, schema in properties.items() if not schema.get("description")] == []


@pytest.mark.parametrize(("path", "command"), list(commands()), ids=[path for path, _ in commands()])
def test_every_command_is_on_the_page_with_its_description(path, command):
    assert f"## `{path}" in commands_page()
    assert command.help


@pytest.mark.parametrize(
    "error", sorted(error_classes(), key=lambda each: each.__name__), ids=lambda each: each.__name__
)
def test_every_error_is_on_the_page_with_the_person_who_must_act(error):
    assert f"| `{error.__name__}` |" in errors_page()
    assert error.__doc__


def find_refusal_codes():
    """Yield the codes of refusals that are written as literals."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "RequestRefused(" not in text:
                continue
            for node in ast.walk(ast.parse(text)):
                is_refusal = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RequestRefused"
                if is_refusal and node.args and isinstance(node.args[0], ast.Constant):
                    yield node.args[0].value


@pytest.mark.parametrize("code", sorted(set(find_refusal_codes())))
def test_every_refusal_has_words_in_both_languages(code):
    assert code in set(refusals())
    assert f"refused.{code}" in catalogue("zh")
    assert f"| `{code}` |" in errors_page()


@pytest.mark.parametrize(("name", "about"), contributions().items())
def test_everything_that_a_plugin_may_add_is_on_the_page_with_its_meaning(name, about):
    assert f"| `add.{name}` |" in extension_page()
    assert len(about) >= 10


def test_every_option_of_a_function_is_on_the_page_with_its_meaning():
    assert set(options()) == set(ToolOptions.__struct_fields__)
    assert [name for name in options() if f"| `{name}` |" not in extension_page()] == []
    assert min(map(len, options().values())) >= 10


@pytest.mark.parametrize("hook", [name for name, _ in hooks()])
def test_every_hook_is_on_the_page_and_has_a_test(hook):
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "unit").rglob("test_*hooks*.py"))

    assert f"| `{hook}` |" in extension_page()
    assert re.search(rf"{hook.partition('.')[2]}(\.append|=\[)", tests)


@pytest.mark.parametrize("event", [value for name, value in vars(events).items() if name.startswith("TOOL_")])
def test_every_event_is_on_the_page(event):
    assert f"| `{event}` |" in extension_page()


@pytest.mark.parametrize("route", list(http_routes()), ids=lambda route: f"{route.methods} {route.path}")
def test_every_route_is_on_the_page_with_its_description(route):
    assert f"| `{route.methods} {route.path}` |" in http_page()
    assert len(route.about) >= 10


def test_route_for_admins_is_marked_in_the_reference():
    assert "| `GET /api/admin/settings` | admin |" in http_page()


@pytest.mark.parametrize("page", GENERATED)
def test_every_generated_page_is_named_where_the_documentation_begins(page):
    [row] = re.findall(r"^\| generated by .*", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert Path(page).stem.replace("-", " ") in row.lower()


def test_every_page_is_in_the_navigation_once():
    pages = [*GENERATED, *(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md"))]
    navigation = (ROOT / ".ci" / "mkdocs.yml").read_text(encoding="utf-8")

    assert sorted(re.findall(r"^ +- (\S+\.md)$", navigation, re.MULTILINE)) == sorted(pages)


def test_every_page_of_the_site_is_reached_by_a_link_or_its_folder():
    linked = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    targets = set(re.findall(r"\]\(([^)#:]+\.md)", linked))
    missing = [
        target
        for path in (ROOT / "docs").rglob("*.md")
        for target in re.findall(r"\]\(([^)#:]+\.md)", path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]

    assert targets
    assert missing == []
