"""Secrets in errors of tools and in addresses."""

from bot.app.pipeline import mask_failures
from bot.config.secrets import secret_values
from bot.config.settings import SearchSettings, Settings, StorageSettings, ToolServerSettings
from function_calls.tools.calls import ToolCall, ToolResult
from services.call_log.secret_mask import MASK, SecretMask

CALL = ToolCall(id="1", name="search", arguments={})
HOOK = mask_failures(SecretMask(["hunter2hunter2"]))


def test_failure_is_reported_without_the_secret():
    result = HOOK(CALL, None, ToolResult.failed("key hunter2hunter2", text="no: hunter2hunter2"))

    assert (result.error, result.text) == (f"key {MASK}", f"no: {MASK}")


def test_result_without_a_secret_is_unchanged():
    assert HOOK(CALL, None, ToolResult(ok=True, text="tea")) is None


def test_passwords_in_addresses_are_secrets():
    settings = Settings(
        storage=StorageSettings(url="postgresql://bot:dbpass99@host/bubbles"),
        search=SearchSettings(searxng_url="https://bot:searchpass99@host"),
        tool_servers=ToolServerSettings(urls=("https://a:toolpass99@host", "https://host:8080/x")),
    )

    assert set(secret_values(settings)) == {"dbpass99", "searchpass99", "toolpass99"}
