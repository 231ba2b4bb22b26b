"""Permissions of functions."""

import pytest

from function_calls.registry import tool_function
from function_calls.tools.permission import AccessRule, Viewer, refusal_code
from services.kernel.chat import ChatAddress, Person
from tests.unit.call_policy.conftest import call

OWNERS = {"fake:olga"}


def viewer(person="ann", *, platform="fake", is_admin=False, is_private=False):
    chat = ChatAddress(platform=platform, chat_id="home")
    return Viewer(person=Person(id=person, name=person, is_admin=is_admin), chat=chat, is_private=is_private)


@pytest.mark.parametrize(
    ("rule", "who", "code"),
    [
        (AccessRule(), viewer(), None),
        (AccessRule(permission="admins"), viewer(), "admins_only"),
        (AccessRule(permission="admins"), viewer(is_admin=True), None),
        (AccessRule(permission="admins"), viewer("olga"), None),
        (AccessRule(permission="owner"), viewer(is_admin=True), "owner_only"),
        (AccessRule(permission="owner"), viewer("olga"), None),
        (AccessRule(permission="owner"), viewer("olga", platform="other"), "owner_only"),
        (AccessRule(permission=("fake:ann",)), viewer(), None),
        (AccessRule(permission=("fake:ann",)), viewer("bob"), "listed_only"),
        (AccessRule(permission=("fake:ann",)), viewer("ann", platform="other"), "listed_only"),
        (AccessRule(scope="group"), viewer(is_private=True), "group_only"),
        (AccessRule(scope="private"), viewer(), "private_only"),
        (AccessRule(platforms=("other",)), viewer(), "other_platform"),
        (AccessRule(platforms=("fake",)), viewer(), None),
    ],
)
def test_rule_permits_exactly_the_named_people(rule, who, code):
    assert refusal_code(rule, who, OWNERS) == code


@tool_function(permission="owner", returns="reply")
async def reboot() -> str:
    """Reboot."""
    return "rebooted"


@pytest.mark.parametrize(("sender", "ok"), [("olga", True), ("ann", False)])
async def test_owners_of_the_settings_are_in_the_context(room, sender, ok):
    result = await room(reboot, owners=OWNERS).dispatch(call("reboot"), sender=sender)

    assert result.ok is ok


async def test_refusal_has_a_message_and_is_recorded_as_denied(room):
    result = await room(reboot, owners=OWNERS).dispatch(call("reboot"), text="重启一下吧")

    assert result.text == "只有机器人的主人可以这样做。"
    assert result.failure == "denied"


async def test_forbidden_function_is_not_shown_to_the_model(room):
    here = room(reboot, owners=OWNERS, script=["hi", "hi"])
    await here.say("hello", sender="ann")
    await here.say("hello", sender="olga")
    seen = [[tool.name for tool in turn.tools] for turn in here.model.turns]

    assert seen == [["undo"], ["undo", "reboot"]]
