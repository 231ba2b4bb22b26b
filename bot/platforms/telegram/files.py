"""Send files on Telegram: pictures as photos, all others as documents."""

from aiogram import Bot
from aiogram.exceptions import AiogramError, TelegramBadRequest
from aiogram.types import BufferedInputFile

from bot.platforms.telegram import requests
from bot.platforms.telegram.failures import delivery_failed
from services.kernel.chat import ChatAddress, SentFile


async def send_file(bot: Bot, address: ChatAddress, file: SentFile) -> str:
    """Send `file` and return the id of its message.

    Raises:
        DeliveryFailed: Telegram did not take it.
    """
    chat_id = int(address.chat_id)
    thread = None if address.thread_id is None else int(address.thread_id)
    upload = BufferedInputFile(file.content, filename=file.name)
    try:
        if requests.is_photo(file):
            try:
                return str((await bot.send_photo(chat_id, upload, message_thread_id=thread)).message_id)
            except TelegramBadRequest:
                pass  # too long, too wide or no picture at all: as a document it can be had all the same
        return str((await bot.send_document(chat_id, upload, message_thread_id=thread)).message_id)
    except AiogramError as error:
        raise delivery_failed(error) from error
