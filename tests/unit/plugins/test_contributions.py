"""Contributions of a plugin other than functions and hooks."""

from contextlib import AsyncExitStack

import pytest

from bot.config.settings import PluginSettings
from bot.plugins import loading
from bot.plugins.manager import PluginManager
from bot.testing.models import ScriptedModel
from function_calls.tools.policy import ToolSwitches
from services.kernel.state import MemoryStateStore

pytestmark = pytest.mark.looptime

TOOLSET = """
    from function_calls.tools.calls import ToolResult, ToolSpec
    from function_calls.tools.toolset import unknown_tool


    class Bells:
        specs = (
            ToolSpec(
                name="ring_bell",
                description="Ring a bell.",
                parameters={"type": "object", "properties": {}},
                examples=("ring the bell",),
                returns="reply",
            ),
        )

        async def list_specs(self, viewer):
            return self.specs

        async def call(self, name, arguments, context):
            return ToolResult(ok=True, text="🔔")


    def setup(add):
        add.toolsets["bells"] = Bells()
    """
ENGINE = """
    from services.search.model import SearchAnswer, Source


    class Library:
        name = "library"

        async def search(self, query, language, *, on_text=None):
            source = Source(title="Shelf", url="https://library.example/tea")
            return SearchAnswer(text=f"A book on {query} [1].", sources=(source,), engine=self.name)


    def setup(add):
        add.engines.append(Library())
    """
PLATFORM = """
    from bot.testing.platform import FakePlatform


    def setup(add):
        add.platforms.append(FakePlatform(add.clock, name="pigeon"))
    """
HOOKS = """
    from function_calls.tools.calls import Interpretation


    class Notes:
        written = []


    async def before(call, context):
        Notes.written.append(f"before {call.name}")


    def after(turn, made):
        Notes.written.append("after the model")


    def on_error(turn, failure):
        return Interpretation(answer="The model sleeps.")


    def setup(add):
        add.services.append(Notes())
        add.tool_hooks.before.append(before)
        add.model_hooks.after.append(after)
        add.model_hooks.on_error.append(on_error)
    """


async def test_a_plugin_is_given_the_model_of_the_bot(rig):
    rig.write("thinker", "def setup(add):\n    pass\n")
    model, clock = ScriptedModel(), rig.clock

    (installed,) = PluginManager(
        PluginSettings(folder=rig.folder), clock, ToolSwitches(MemoryStateStore(clock), clock), model
    ).plugins

    assert installed.plugin.adds.model is model


async def test_a_toolset_of_a_plugin_is_offered_and_called(rig):
    rig.write("bells", TOOLSET)
    async with rig.running():
        answer = await rig.say("ring the bell")

    assert "🔔" in answer


async def test_a_search_engine_of_a_plugin_is_asked(rig):
    rig.write("library", ENGINE)
    async with rig.running():
        answer = await rig.say("search the web for tea")

    assert "A book on tea" in answer
    assert "https://library.example/tea" in answer


async def test_a_platform_of_a_plugin_is_served(rig):
    rig.write("pigeon", PLATFORM)
    async with rig.running() as app:
        pigeon = app.outbox.platforms["pigeon"]
        await pigeon.say("remind me in 5 minutes to fly", sender="ann", is_private=True)

    assert "fly" in pigeon.texts[-1]


async def test_every_kind_of_hook_of_a_plugin_is_asked(rig):
    from function_calls.tools.calls import ToolCall

    rig.write("hooks", HOOKS)
    async with rig.running(script=[[ToolCall(id="1", name="reminder_list", arguments={})]]) as app:
        await rig.say("my reminders")
        answer = await rig.say("and now?")  # the script is over, which is a failure of the model
        (notes,) = (
            each
            for plugin in app.plugins.plugins
            for each in plugin.plugin.adds.services
            if type(each).__name__ == "Notes"
        )

    assert notes.written[:2] == ["after the model", "before reminder_list"]
    assert answer == "The model sleeps."


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package whose entry point names a plugin."""
    site = tmp_path / "site"
    about = site / "night_watch-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: night-watch\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[bubbles.plugins]\nwatch = night_watch.bot_plugin\n", encoding="utf-8")
    (site / "night_watch").mkdir()
    (site / "night_watch" / "__init__.py").touch()
    (site / "night_watch" / "bot_plugin.py").write_text(
        "from function_calls.registry import tool_function\n\n\n"
        "@tool_function(returns='reply', examples=('who goes there',))\n"
        "async def watchword() -> str:\n    '''Ask for the watchword.'''\n    return 'A friend.'\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(site)
    loading._installed_plugins.cache_clear()
    yield "night_watch.bot_plugin"
    loading._installed_plugins.cache_clear()


async def test_an_installed_package_is_a_plugin_by_its_entry_point(rig, package):
    async with rig.running() as app:
        answer = await rig.say("who goes there")
        (plugin,) = app.plugins.plugins

    assert answer == "A friend."
    assert (plugin.plugin.name, plugin.plugin.found.origin) == ("watch", f"package {package}")


@pytest.mark.usefixtures("package")
async def test_package_is_disabled_by_its_name_and_a_file_of_that_name_comes_first(rig):
    async with rig.running(disabled=("watch",)) as app:
        assert app.plugins.plugins == ()
    rig.write("watch", "def setup(add):\n    pass\n")
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(rig.running())
        (plugin,) = app.plugins.plugins

    assert plugin.plugin.found.origin.endswith("watch.py")
