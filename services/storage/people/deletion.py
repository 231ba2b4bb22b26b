"""Delete a person's data from the tables; every function is part of the caller's transaction."""

import sqlalchemy as sa

from services.people.privacy import DataScope, GoneMessage
from services.storage.engine.column_values import address_of
from services.storage.message_index.indexing import take_out
from services.storage.message_index.rows import attachments_of
from services.storage.messages.consent import WORDLESS_TURN
from services.storage.tables import CALL, MESSAGE, SCOPE, STATE, TURN


def is_in_scope(chat_key: sa.ColumnElement[str], scope: DataScope) -> sa.ColumnElement[bool]:
    """Return whether a row belongs to the chat of `scope`, or to any chat of its platform."""
    if scope.is_everywhere:
        return chat_key.startswith(f"{scope.address.platform}:", autoescape=True)
    return chat_key == scope.address.key


def gone_messages(connection: sa.Connection, wanted: sa.ColumnElement[bool]) -> tuple[GoneMessage, ...]:
    """Return the messages that are about to go, oldest first."""
    columns = sa.select(MESSAGE.c.chat_key, MESSAGE.c.message_id, MESSAGE.c.attachments)
    return tuple(
        GoneMessage(
            address=address_of(row.chat_key, None),
            message_id=row.message_id,
            files=tuple(each.url for each in attachments_of(row.attachments) if each.url),
        )
        for row in connection.execute(columns.where(wanted).order_by(MESSAGE.c.id))
    )


def erase_messages(
    connection: sa.Connection, scope: DataScope, at: int
) -> tuple[tuple[GoneMessage, ...], tuple[GoneMessage, ...]]:
    """Blank the person's messages and the bot's answers to them; return both."""
    here = is_in_scope(MESSAGE.c.chat_key, scope)
    mine = sa.and_(here, MESSAGE.c.sender_id == scope.person.id, sa.not_(MESSAGE.c.sender_is_bot))
    asked = MESSAGE.alias("asked")
    answers = sa.and_(
        here,
        MESSAGE.c.sender_is_bot,
        MESSAGE.c.deleted_at.is_(None),
        sa.exists().where(
            asked.c.chat_key == MESSAGE.c.chat_key,
            asked.c.message_id == MESSAGE.c.reply_to,
            asked.c.sender_id == scope.person.id,
        ),
    )
    messages, replies = gone_messages(connection, mine), gone_messages(connection, answers)
    connection.execute(MESSAGE.update().where(answers).values(text="", deleted_at=at))
    take_out(connection, mine)
    texts = ("sender_id", "sender_name", "sender_username", "text", "mentions", "attachments")
    blank = dict.fromkeys(texts, "") | {"reply_to": None, "deleted_at": at}
    connection.execute(MESSAGE.update().where(mine).values(blank))
    return messages, replies


def erase_records(connection: sa.Connection, scope: DataScope) -> int:
    """Delete the calls and empty the turns; what the turns used stays, or a budget would begin anew."""
    calls = sa.and_(is_in_scope(CALL.c.session_id, scope), CALL.c.person_id == scope.person.id)
    turns = sa.and_(is_in_scope(TURN.c.chat_key, scope), TURN.c.person_id == scope.person.id, TURN.c.text != "")
    connection.execute(CALL.delete().where(calls))
    return connection.execute(TURN.update().where(turns).values(WORDLESS_TURN)).rowcount


def erase_state(connection: sa.Connection, scope: DataScope) -> None:
    """Delete what is remembered between messages.

    Keys are `<what for>:<chat>#<person>` and `user:<platform>:<person>`.
    """
    of_user = f"user:{scope.address.platform}:{scope.person.id}"
    for table, column in ((STATE, STATE.c.key), (SCOPE, SCOPE.c.scope)):
        similar = sa.select(column).where(column.endswith(f"#{scope.person.id}", autoescape=True)).distinct()
        mine = [key for key in connection.scalars(similar) if _is_of(key, scope)]
        connection.execute(table.delete().where(column.in_([*mine, of_user] if scope.is_everywhere else mine)))


def _is_of(key: str, scope: DataScope) -> bool:
    conversation = key.partition(":")[2]
    chat = conversation.removesuffix(f"#{scope.person.id}")
    is_here = chat.startswith(f"{scope.address.platform}:") if scope.is_everywhere else chat == scope.address.key
    return is_here and chat != conversation
