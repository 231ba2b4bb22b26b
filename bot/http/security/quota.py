"""Apply the message limits of a chat to requests that use a model, a search or a tool."""

from bot.http.core.context import HttpContext
from bot.http.core.errors import HttpRefused
from services.kernel.chat import ChatAddress


def admit(context: HttpContext, address: ChatAddress, person_id: str) -> None:
    """Count the request as a message of the person in the chat.

    Raises:
        HttpRefused: the chat is not served (403), or messages come too fast (429).
    """
    if not context.app.access.serves(address):
        raise HttpRefused(403, "chat_not_served", chat=address.key)
    if wait := context.app.pace.wait_of(address, person_id):
        raise HttpRefused(429, "too_fast", retry_after=wait)
