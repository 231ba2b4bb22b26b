"""Models of Feishu's events, as far as Bubbles reads them.

Source: https://open.feishu.cn/document/server-docs/im-v1/message/events/receive
"""

from collections.abc import Mapping

from bot.platforms.kit.events import Form


class Ids(Form):
    """The ids of one person; the open id is theirs for this app."""

    open_id: str | None = ""


class Sender(Form):
    """Who wrote."""

    sender_id: Ids = Ids()
    sender_type: str = "user"


class Mention(Form):
    """Somebody who is mentioned; `key` stands in the text (`@_user_1`)."""

    key: str
    id: Ids = Ids()
    name: str = ""


class Message(Form):
    """A message. `create_time` is in milliseconds since 1970; `content` is JSON, by `message_type`."""

    message_id: str
    root_id: str | None = None
    parent_id: str | None = None
    thread_id: str | None = None
    create_time: str = "0"
    chat_id: str = ""
    chat_type: str = "group"
    message_type: str = "text"
    content: str = "{}"
    mentions: tuple[Mention, ...] | None = ()


class EmojiType(Form):
    """An emoji, by its name."""

    emoji_type: str = ""


class Action(Form):
    """A pressed button: its value `says`."""

    value: Mapping[str, object] | None = None


class Context(Form):
    """Where a button was pressed."""

    open_message_id: str = ""
    open_chat_id: str = ""


class Body(Form):
    """An event: a message (`message`), its withdrawal (`message_id`) or a reaction to it.

    `chat_id` comes with what was taken back, and with a chat that the bot was added to. `user_id` and `reaction_type`
    come with reactions, `operator`, `action` and `context` with a pressed button. What bots do has no `user_id`.
    """

    user_id: Ids | None = None
    reaction_type: EmojiType = EmojiType()
    operator: Ids | None = None
    action: Action = Action()
    context: Context = Context()

    sender: Sender = Sender()
    message: Message | None = None
    message_id: str = ""
    chat_id: str = ""
    recall_time: str = "0"


class Header(Form):
    """Id and type of an event."""

    event_id: str = ""
    event_type: str = ""


class Event(Form):
    """An event of the second schema."""

    header: Header = Header()
    event: Body = Body()
