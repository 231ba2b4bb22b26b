"""Models of Telegram's updates, as far as Bubbles reads them. Source: https://core.telegram.org/bots/api#update."""

from pydantic import ConfigDict, Field

from bot.platforms.kit import events


class Form(events.Form):
    """An object of the Bot API; what it holds besides is kept, so that attachments can be named."""

    model_config = ConfigDict(extra="allow")


class User(Form):
    """Somebody with an account."""

    id: int
    is_bot: bool = False
    first_name: str = ""
    last_name: str = ""
    username: str = ""
    language_code: str = ""

    @property
    def name(self) -> str:
        """Return what people see."""
        return f"{self.first_name} {self.last_name}".strip() or self.username or str(self.id)


class Chat(Form):
    """A private chat, group, supergroup or channel."""

    id: int
    type: str = "private"
    title: str = ""


class Entity(Form):
    """A marked part of a text; offset and length are in UTF-16 code units."""

    type: str
    offset: int
    length: int
    user: User | None = None


class Message(Form):
    """A message, new or edited. `date` and `edit_date` are Unix seconds."""

    message_id: int
    date: int
    chat: Chat
    sender: User | None = Field(None, alias="from")
    sender_chat: Chat | None = None
    text: str = ""
    caption: str = ""
    entities: tuple[Entity, ...] = ()
    caption_entities: tuple[Entity, ...] = ()
    reply_to_message: "Message | None" = None
    message_thread_id: int | None = None
    is_topic_message: bool = False
    edit_date: int | None = None


class CallbackQuery(Form):
    """Somebody pressed a button; `message` is the one that it stands under."""

    id: str
    sender: User = Field(alias="from")
    data: str = ""
    message: Message | None = None


class Membership(Form):
    """What somebody is in a chat; `is_member` comes with those who are restricted."""

    status: str
    is_member: bool = False

    @property
    def is_in(self) -> bool:
        """Return whether they are in the chat."""
        return self.status in {"creator", "administrator", "member"} or self.is_member


class MembershipChange(Form):
    """The bot was added to a chat, removed from it, or given other rights by `sender`."""

    chat: Chat
    sender: User = Field(alias="from")
    old_chat_member: Membership
    new_chat_member: Membership


class ReactionKind(Form):
    """An emoji, or one of a set that somebody drew (`custom_emoji_id`)."""

    type: str = "emoji"
    emoji: str = ""
    custom_emoji_id: str = ""

    @property
    def shown(self) -> str:
        """The emoji, or the number of one that has no character."""
        return self.emoji or self.custom_emoji_id


class ReactionChange(Form):
    """Somebody changed their reactions to a message; told only to administrators. `date` is in Unix seconds."""

    chat: Chat
    message_id: int
    sender: User | None = Field(None, alias="user")
    old_reaction: tuple[ReactionKind, ...] = ()
    new_reaction: tuple[ReactionKind, ...] = ()


class Update(Form):
    """One thing that happened."""

    update_id: int
    message: Message | None = None
    edited_message: Message | None = None
    callback_query: CallbackQuery | None = None
    my_chat_member: MembershipChange | None = None
    message_reaction: ReactionChange | None = None
