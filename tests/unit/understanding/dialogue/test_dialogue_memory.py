"""Storage of dialogues beside those that are in memory."""

from bot.testing.clocks import FixedClock
from bot.testing.turns import NOW, make_message, make_turn
from function_calls.tools.calls import ToolCall
from function_calls.understanding.dialogue.dialogue import Dialogue
from function_calls.understanding.dialogue.dialogue_memory import DialogueMemory
from function_calls.understanding.open_questions import OpenQuestions
from services.kernel.chat import Person
from services.kernel.state import MemoryStateStore


async def test_dialogue_that_is_no_longer_in_memory_is_read_from_the_store():
    dialogue = Dialogue()
    memory = DialogueMemory(MemoryStateStore(FixedClock(NOW)), dialogue, OpenQuestions())
    turn = make_turn(make_message("remind me at 5pm to call mum"))
    await memory.recall(turn)
    dialogue.note(turn.conversation.key, turn, (ToolCall(id="1", name="reminder_set", arguments={}),))
    await memory.keep(turn)

    for number in range(1_200):
        await memory.recall(make_turn(make_message("ok", sender=Person(id=f"p{number}", name="Ben"))))
    await memory.recall(turn)

    assert dialogue.last_action(turn.conversation.key, NOW) is not None
