"""Models of Slack's events, as far as Bubbles reads them. Source: https://docs.slack.dev/reference/events/message."""

from pydantic import Field

from bot.platforms.kit.events import Form


class File(Form):
    """A shared file."""

    name: str | None = ""
    filetype: str | None = ""
    permalink: str | None = None


class Message(Form):
    """A message, or a change of an earlier one; `ts` is its id and its time."""

    type: str = ""
    subtype: str = ""
    channel: str = ""
    channel_type: str = ""
    user: str = ""
    bot_id: str | None = None
    text: str = ""
    ts: str = ""
    event_ts: str = ""
    thread_ts: str | None = None
    parent_user_id: str | None = None
    files: tuple[File, ...] = ()
    deleted_ts: str = ""
    message: "Message | None" = None
    previous_message: "Message | None" = None


class Item(Form):
    """The target of a reaction; `ts` where it is a message."""

    type: str = ""
    channel: str = ""
    ts: str = ""


class ReactionChange(Form):
    """Somebody put an emoji, by its name, under a message, or took it back."""

    type: str
    user: str = ""
    reaction: str = ""
    item: Item = Item()


class Command(Form):
    """A slash command that somebody used."""

    command: str
    text: str = ""
    channel_id: str
    user_id: str
    trigger_id: str = ""
    thread_ts: str | None = None


class Reference(Form):
    """Somebody or something by its id."""

    id: str


class Stamp(Form):
    """A message by its time."""

    ts: str
    thread_ts: str | None = None


class Container(Form):
    """The place of a button; `message_ts` where it is a message, also one that only one person sees."""

    message_ts: str = ""
    thread_ts: str | None = None


class Action(Form):
    """A pressed button."""

    value: str = ""
    action_ts: str = ""


class Interaction(Form):
    """Somebody did something with a message of the app."""

    type: str
    user: Reference | None = None
    channel: Reference | None = None
    message: Stamp | None = None
    container: Container = Container()
    actions: tuple[Action, ...] = Field(())
