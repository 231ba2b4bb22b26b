"""Models of DingTalk's callbacks, as far as Bubbles reads them.

Source: https://open.dingtalk.com/document/orgapp/receive-message
"""

from pydantic import BaseModel, ConfigDict, Field


class Form(BaseModel):
    """An object of the robot's callback."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class RepliedMessage(Form):
    """The message that is replied to."""

    id: str = Field("", alias="msgId")


class Text(Form):
    """A text."""

    content: str = ""
    replied: RepliedMessage | None = Field(None, alias="repliedMsg")


class Called(Form):
    """Somebody who is mentioned; people of the organisation have a staff id."""

    dingtalk_id: str = Field("", alias="dingtalkId")
    staff_id: str | None = Field(None, alias="staffId")


class Part(Form):
    """A part of a rich text: words, or a picture."""

    text: str | None = None
    type: str = ""


class Content(Form):
    """What a message that is no plain text holds."""

    parts: tuple[Part, ...] = Field((), alias="richText")
    file_name: str = Field("", alias="fileName")
    recognition: str = ""


class Event(Form):
    """A message to the robot. Times are in milliseconds since 1970."""

    id: str = Field(alias="msgId")
    kind: str = Field("text", alias="msgtype")
    text: Text = Text()
    content: Content = Content()
    conversation_id: str = Field(alias="conversationId")
    conversation_type: str = Field("2", alias="conversationType")
    sender_id: str = Field("", alias="senderId")
    staff_id: str | None = Field(None, alias="senderStaffId")
    nick: str = Field("", alias="senderNick")
    is_admin: bool = Field(False, alias="isAdmin")
    robot_id: str = Field("", alias="chatbotUserId")
    calls_the_robot: bool = Field(False, alias="isInAtList")
    called: tuple[Called, ...] = Field((), alias="atUsers")
    created_at: int = Field(0, alias="createAt")
    session_webhook: str = Field("", alias="sessionWebhook")
    session_ends_at: int = Field(0, alias="sessionWebhookExpiredTime")
