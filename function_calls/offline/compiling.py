"""Compile everything that the sentences of the languages need in which the bot answers."""

from function_calls.offline.direct import may_be_direct
from function_calls.offline.pack import load_gate, load_intent, load_intent_gate, load_pack, load_second_gate
from function_calls.offline.questions import load_questions
from function_calls.phrases import every_language
from function_calls.wording import LANGUAGES, catalogue


def compile_all() -> None:
    """Compile the sentences of each of them now (about half a second), instead of at the first message.

    The phrases and the wording, which answers of a model need too, come first. Another language waits for its first
    message.
    """
    tuple(every_language())
    for language in LANGUAGES:
        catalogue(language)
        load_gate(language)
        may_be_direct("", language)
        load_questions(language)
        load_pack(language).opening.compiled()
        for name in load_pack(language).data.intents:
            load_intent_gate(language, name)
            load_second_gate(language, name)
            for sentence in load_intent(language, name).sentences:
                _ = sentence.pattern
