"""The interpreter that needs no model: sentence patterns in, calls or one question out."""

from msgspec.structs import replace

from function_calls.language.messages import say
from function_calls.tools.calls import Conversation, Interpretation, Turn
from function_calls.tools.confirmation.yes_no import parse_yes_no
from function_calls.understanding.answering import Answering
from function_calls.understanding.answers import chosen_options, is_as_unclear, is_dropped, named_content, named_time
from function_calls.understanding.clauses import LONGEST, trimmed, without_names
from function_calls.understanding.compiling import compile_all
from function_calls.understanding.courtesies import is_bewildered, is_courtesy, is_pondering
from function_calls.understanding.direct import direct_call, with_manners, without_manners
from function_calls.understanding.examples import ExampleSentences
from function_calls.understanding.looking_here import looked_up_as_due, looked_up_here, looked_up_in_vain, of_results
from function_calls.understanding.mentions import with_joined_names, with_names
from function_calls.understanding.notes import noted
from function_calls.understanding.once_more import JustSet, just_set, once_more
from function_calls.understanding.open_questions import OpenQuestion, OpenQuestions
from function_calls.understanding.pack import languages_of, load_pack
from function_calls.understanding.pointing import named_by_answer
from function_calls.understanding.pronouns import Named, asks_for_nobody, with_person_named
from function_calls.understanding.questions import asked_when, is_question
from function_calls.understanding.reading.dialogue import Dialogue
from function_calls.understanding.reading.interpreter import LearnedInterpreter, Understood
from function_calls.understanding.reading.known_reminders import ReminderLookup
from function_calls.understanding.reading.reader import MessageReader
from function_calls.understanding.reading.requests import topic_of
from function_calls.understanding.references import named_reminder, untailed
from function_calls.understanding.requests import Ear, Request
from function_calls.understanding.second_thoughts import put_right, second_thought
from function_calls.understanding.served import ServedLately
from function_calls.understanding.time_words import TimeReader
from function_calls.understanding.tool_calls import CallMaker
from services.kernel.bounded import BoundedDict
from services.kernel.state import StateStore
from services.recurrence.rules import parse_rule
from services.time_expressions import is_effort_spent, limited_effort, parse_all, warm_up

_REMINDERS = "reminder_"
_MOST_REMEMBERED = 1000
_IT = "it"
_FEWEST_WORDS = 3
_LIKELY = 0.25
"""The share of an intent that is worth a hint how to say it."""
_CHANGING = frozenset({"reminder_set", "reminder_update", "reminder_snooze"})


class OfflineInterpreter:
    """Understands requests by sentence templates, per language as data.

    A message that is not addressed to the bot and explained by no template gets an empty interpretation. Questions
    that it asks are kept in memory for some minutes, per person and chat.
    """

    uses_patterns = True
    """Whether sentence patterns are tried before the trained models."""

    def __init__(
        self,
        *,
        read_times: TimeReader = parse_all,
        questions: OpenQuestions | None = None,
        searches_web: bool = True,
        store: StateStore | None = None,
        reminders: ReminderLookup | None = None,
    ) -> None:
        """`searches_web` says whether a search engine is connected: without one, questions are looked up here.

        `store` keeps dialogues through a restart, and `reminders` looks up the coming reminders of a chat.
        """
        self._read_times = read_times
        self._searches_web = searches_web
        self._questions = questions or OpenQuestions()
        self._examples = ExampleSentences()
        self._served = ServedLately()
        self._changed = ServedLately()
        self._set_last: BoundedDict[str, JustSet] = BoundedDict(_MOST_REMEMBERED)
        self._dialogue = Dialogue()
        self._learned = LearnedInterpreter(read_times, self._dialogue)
        self._reader = MessageReader(
            read_times, searches_web=searches_web, store=store, reminders=reminders, questions=questions
        )

    @staticmethod
    def warm_up() -> None:
        """Load and compile all sentences and words of time, so that the first message does not wait for it."""
        compile_all()
        warm_up()

    async def interpret(self, turn: Turn) -> Interpretation:
        """Say what `turn` asks for; an empty interpretation means that nothing was asked."""
        if turn.steps:
            instead = looked_up_in_vain(turn)
            return Interpretation(calls=instead) if instead else Interpretation(answer=of_results(turn))
        return self.read(turn) if self.uses_patterns else await self._reader.interpret(turn)

    def read(self, turn: Turn) -> Interpretation:
        """`interpret` of a turn's first round, without waiting.

        A message with so many words of time that reading it would take long is not a request; who spoke to the bot is
        told.
        """
        if not self.uses_patterns:
            return self._reader.read(turn)
        with limited_effort():
            return self._read(turn)

    def _read(self, turn: Turn) -> Interpretation:
        key = Conversation(chat=turn.message.address, person=turn.message.sender).key
        turn, joined = with_joined_names(turn)
        named = with_person_named(turn, self._ears(turn, key)[0])
        turn = named.turn
        heard = self._heard_of(named, key)
        if is_effort_spent():
            heard = _with_too_many_times(turn)
        heard = with_names(heard, {**joined, **named.joined})
        if _replies_to_person(turn) and any(call.name == "reminder_state" for call in heard.calls):
            heard = Interpretation()  # "done" below somebody's message is about that
        if turn.message.is_edited and not heard.calls:
            self._questions.take(key, turn.now)  # it was not asked: nobody answers a question about an edit
            return Interpretation()
        if any(call.name.startswith(_REMINDERS) for call in heard.calls):
            self._served.note(key, turn.now, turn.message.id)
        self._note_change(heard, key, turn)
        self._dialogue.note(key, turn, heard.calls)
        return heard

    def _note_change(self, heard: Interpretation, key: str, turn: Turn) -> None:
        """Remember that the message changed something: "never mind" takes that back, and nothing older."""
        if any(call.name in _CHANGING for call in heard.calls):
            self._changed.note(key, turn.now, turn.message.id)
            self._note_what_is_set(heard, key)
        elif heard != Interpretation() or not is_courtesy(turn.message.text):
            self._changed.forget(key)

    def _note_what_is_set(self, heard: Interpretation, key: str) -> None:
        """Remember what was just set; a change of the time leaves what it is about."""
        last = just_set(heard.calls[0], self._set_last.get(key)) if len(heard.calls) == 1 else None
        if last is not None:
            self._set_last[key] = last
        else:
            self._set_last.pop(key, None)

    def _once_more(self, turn: Turn, ears: tuple[Ear, ...], key: str) -> Interpretation | None:
        """What was just set for the times of a message that says "also" and no more."""
        last = self._set_last.get(key)
        is_lately = self._changed.is_recent(key, turn.now, turn.scope) or (
            ears[0].is_addressed and self._served.is_recent(key, turn.now, turn.scope)
        )
        if last is None or not is_lately or turn.message.reply_to is not None or not last.is_coming(turn.now):
            return None
        direct = direct_call(turn.message.text, ears[0]) if last.is_repeating else None
        if direct is not None and "days" in direct.arguments:
            return None
        found = next(filter(None, (once_more(turn.message.text, last, ear) for ear in ears)), ())
        return Answering(turn, ears[0], self._questions, key).set_reminders(found) if found else None

    def _put_right(self, turn: Turn, ear: Ear, key: str) -> Interpretation | None:
        """What was just set with a word of it replaced, where the message does no more than that."""
        last = self._set_last.get(key) if self._changed.is_recent(key, turn.now, turn.scope) else None
        maker = CallMaker(turn)
        if last is None or not maker.offers("reminder_update"):
            return None
        right = put_right(without_names(turn.message.text, ear.names), last.content, ear.pack, ear.is_time)
        return Interpretation(calls=(maker.call("reminder_update", {"content": right}),)) if right else None

    def _thought_again(self, turn: Turn, ears: tuple[Ear, ...], key: str) -> Interpretation | None:
        """What was just set moved to the time that a message turns to, and names alone."""
        if not self._changed.is_recent(key, turn.now, turn.scope) or _is_for_somebody(turn):
            return None
        for ear in ears:
            moved = second_thought(turn, ear)
            if moved:
                return Answering(turn, ear, self._questions, key).interpretation(moved)
        return None

    def _heard_of(self, named: Named, key: str) -> Interpretation:
        """What is heard once a name stands for "him"; where nobody is meant that is known, who it is is asked."""
        heard = self._heard_in_order(named.turn, key, named.content)
        if not (named.is_unknown and asks_for_nobody(heard)):
            return heard
        self._questions.take(key, named.turn.now)
        return Interpretation(answer=say(named.turn.language, "offline.whom"), must_reply=True)

    def _heard_in_order(self, turn: Turn, key: str, same: str = "") -> Interpretation:
        """What answers an open question first, and then what stands for itself; "hmm" leaves it open."""
        ears = self._ears(turn, key)
        question = None if _is_for_somebody(turn) else self._questions.take(key, turn.now, turn.scope)
        answered = None if question is None else self._answered(question, ears[0], turn)
        if answered is not None:
            return replace(answered, is_answer=not answered.choices)
        heard = self._heard(turn, key, ears, same, question)
        if heard.calls:
            self._questions.drop_before(key, turn.message.id)
        if question is not None and heard == Interpretation() and is_pondering(turn.message.text):
            self._questions.keep(key, question, turn.now)
        return heard

    def _heard(
        self, turn: Turn, key: str, ears: tuple[Ear, ...], same: str, question: OpenQuestion | None = None
    ) -> Interpretation:
        fixed = self._by_fixed_example(turn, ears[0]) or self._put_right(turn, ears[0], key)
        fixed = fixed or self._once_more(turn, ears, key) or self._thought_again(turn, ears, key)
        if fixed is not None:
            return fixed
        understood = self._understood(turn, ears[0], key, question)
        for ear in ears:
            answering = Answering(turn, ear, self._questions, key, same=same)
            text, manners = without_manners(turn.message.text, ear.pack)
            direct = direct_call(turn.message.text, ear)
            # "… until I say done" ends like the report that something is done.
            if direct is not None and not ("until_done" in manners and direct.arguments.get("action") == "done"):
                return answering.one(direct.tool, direct.arguments)
            requests = ear.requests(text)
            if "until_done" in manners and any(map(_counts_elapsed_time, requests)):
                whole, rest = without_manners(turn.message.text, ear.pack, but=("until_done",))
                asked = ear.requests(whole)
                requests, manners = (asked, rest) if asked else (requests, manners)
            if requests:
                made = with_manners(answering.interpretation(requests), manners)
                self._questions.note_manners(key, manners)
                better = understood and self._learned.better(understood, made, turn, key, answering)
                return better or made
        if any(_is_too_long(turn.message.text, ear) for ear in ears):
            return Interpretation(answer=say(turn.language, "offline.too_long", limit=LONGEST), must_reply=True)
        return (
            self._by_example(turn, ears[0])
            or self._by_note(turn, ears[0], key)
            or self._dropped(turn, ears[0], key)
            or self._by_reading(understood, turn, ears[0], key)
            or self._spoken_to(turn, ears[0], understood)
        )

    def _understood(self, turn: Turn, ear: Ear, key: str, question: OpenQuestion | None) -> Understood | None:
        """Return the message as the trained models read it; None where it replies to another person."""
        question = question or self._questions.open(key, turn.now)
        text = without_names(turn.message.text, ear.names)
        return None if _is_for_somebody(turn) else self._learned.read(turn, text, ear.pack.language, key, question)

    def _by_reading(self, understood: Understood | None, turn: Turn, ear: Ear, key: str) -> Interpretation | None:
        """Return what the trained models read in a message that no sentence explains."""
        is_taken_back = ear.pack.taken_back.search(ear.pack.fold(turn.message.text)) is not None
        is_dropped = ear.is_addressed and _is_dropped(turn, ear)
        if understood is None or is_dropped or (is_taken_back and understood.reading.intent == "set"):
            return None
        return self._learned.interpret(understood, turn, key, Answering(turn, ear, self._questions, key))

    def _ears(self, turn: Turn, key: str) -> tuple[Ear, ...]:
        """One for each language that the message may be in: names and content may be in another one."""
        return tuple(
            Ear(
                pack=load_pack(language),
                now=turn.message_time,
                names=(turn.bot_name,),
                is_addressed=turn.message.is_addressed or turn.message.is_private,
                read_times=self._read_times,
                is_follow_up=self._served.is_recent(key, turn.now, turn.scope),
            )
            for language in languages_of(turn.message.text, turn.language)
        )

    def _answered(self, question: OpenQuestion, ear: Ear, turn: Turn) -> Interpretation | None:
        """What the message makes of an open question; None when it speaks of something else."""
        text = turn.message.text
        if len(text) > LONGEST:
            return None
        text = without_names(text, ear.names)
        if is_dropped(text, ear.pack):
            return Interpretation(answer=say(turn.language, "offline.dropped"), must_reply=True)
        key = Conversation(chat=turn.message.address, person=turn.message.sender).key
        answering = Answering(turn, ear, self._questions, key)
        if question.asks != "reminder":
            made = _set_as_answered(text, question, ear, answering)
            self._questions.note_manners(key, question.manners)
            return None if made is None else with_manners(made, question.manners)
        words = ear.core(text)
        reference = named_reminder(words, ear.pack)
        if not (reference.isdigit() or ear.is_addressed or untailed(words, ear.pack) != words):
            return None
        return answering.one("reminder_delete", {"reminder_id": reference})

    def _by_fixed_example(self, turn: Turn, ear: Ear) -> Interpretation | None:
        """What a tool names as its own sentence is meant for it, whatever a looser pattern makes of the words."""
        if len(turn.message.text) > LONGEST:
            return None
        tried = (self._examples.fixed(form, turn.tools) for form in ear.forms(turn.message.text))
        name = next(filter(None, tried), None)
        return None if name is None else Interpretation(calls=(CallMaker(turn).call(name, {}),))

    def _by_example(self, turn: Turn, ear: Ear) -> Interpretation | None:
        forms = dict.fromkeys(ear.forms(turn.message.text))
        tried = (self._examples.match(form, turn.tools, is_addressed=ear.is_addressed) for form in forms)
        found = next(filter(None, tried), None)
        if found is None:
            return None
        name, arguments = found
        return Interpretation(calls=(CallMaker(turn).call(name, arguments),))

    def _by_note(self, turn: Turn, ear: Ear, key: str) -> Interpretation | None:
        """The reminders that are meant by a note with its times, where the bot was spoken to."""
        notes = noted(turn.message.text, ear) if ear.is_addressed else ()
        return Answering(turn, ear, self._questions, key).set_reminders(notes) if notes else None

    def _dropped(self, turn: Turn, ear: Ear, key: str) -> Interpretation | None:
        """Return the call that takes back the last change, where the message says no more than to forget it."""
        if not (ear.is_addressed and _is_dropped(turn, ear) and self._changed.is_recent(key, turn.now, turn.scope)):
            return None
        return self._taken_back(turn, ear, key, CallMaker(turn))

    def _spoken_to(self, turn: Turn, ear: Ear, understood: Understood | None) -> Interpretation:
        """What to say to a message without a request: nothing, unless the bot was spoken to and not just thanked."""
        if not ear.is_addressed:
            return Interpretation()
        is_talk = understood is not None and self._learned.is_talk(understood, turn)
        if is_talk or is_courtesy(without_names(turn.message.text, ear.names)):
            return Interpretation()
        query, maker = ear.core(turn.message.text), CallMaker(turn)
        if _is_dropped(turn, ear) or _is_yes_or_no(turn):
            return Interpretation(answer=say(turn.language, "offline.nothing_open"), must_reply=True)
        is_name = trimmed(query).casefold() == turn.bot_name.casefold()
        is_asked = not is_name and not is_bewildered(query) and is_question(ear.forms(turn.message.text)[1], ear.pack)
        topic = "" if is_name else asked_when(query, ear.pack)
        due = looked_up_as_due(turn, query, topic, searches_web=self._searches_web) if topic else ()
        if due:
            return Interpretation(calls=due)
        if is_asked and maker.offers("perplexity_search"):
            here = () if self._searches_web else looked_up_here(turn, query)
            return Interpretation(calls=here or (maker.call("perplexity_search", {"query": query}),))
        if _is_talk_below(turn):
            return Interpretation()
        return Interpretation(answer=self._help(turn, understood))

    @staticmethod
    def _help(turn: Turn, understood: Understood | None) -> str:
        """Return how to say what a message that was not understood comes nearest to, else what the bot can do."""
        is_short = understood is None or len(understood.reading.tokens) < _FEWEST_WORDS
        topic = None if understood is None or is_short else topic_of(understood.reading, least=_LIKELY)
        if topic is None:
            return say(turn.language, "offline.help")
        return say(turn.language, "how.guess", how=say(turn.language, f"how.{topic}"))

    def _taken_back(self, turn: Turn, ear: Ear, key: str, maker: CallMaker) -> Interpretation | None:
        """The last change undone; where no reminder is wanted that was moved before, it goes and does not move back."""
        last = self._set_last.get(key)
        is_moved = last is not None and last.is_moved
        if is_moved and ear.pack.unwanted.search(ear.pack.fold(turn.message.text)) and maker.offers("reminder_delete"):
            return Interpretation(calls=(maker.call("reminder_delete", {"reminder_id": _IT}),))
        return Interpretation(calls=(maker.call("undo", {}),)) if maker.offers("undo") else None


def _is_dropped(turn: Turn, ear: Ear) -> bool:
    text = turn.message.text
    return len(ear.core(text)) <= LONGEST and any(is_dropped(form, ear.pack) for form in ear.forms(text))


def _is_too_long(text: str, ear: Ear) -> bool:
    """Return whether `text` is longer than a request that is read, and begins like one."""
    if len(text) <= LONGEST:
        return False
    begins = text[:LONGEST]
    return bool(ear.requests(begins)) or direct_call(begins, ear) is not None


def _with_too_many_times(turn: Turn) -> Interpretation:
    if not (turn.message.is_addressed or turn.message.is_private):
        return Interpretation()
    return Interpretation(answer=say(turn.language, "offline.too_many_times"), must_reply=True)


def _is_yes_or_no(turn: Turn) -> bool:
    return parse_yes_no(turn.message.text, turn.bot_name) is not None


def _counts_elapsed_time(request: Request) -> bool:
    """Return whether a reminder repeats by elapsed time, so that it does not wait for "done"."""
    bests = [each.time.best for each in request.reminders if each.time is not None]
    return any(best is not None and best.rrule and parse_rule(best.rrule).is_elapsed for best in bests)


def _is_for_somebody(turn: Turn) -> bool:
    """Whether a message replies to another person."""
    message = turn.message
    return message.reply_to is not None and not message.is_addressed and not message.is_private


def _replies_to_person(turn: Turn) -> bool:
    """Whether a message that does not call the bot replies to what another person wrote."""
    replied = next((each for each in turn.recent if each.id == turn.message.reply_to), None)
    return _is_for_somebody(turn) and replied is not None and not replied.sender.is_bot


def _is_talk_below(turn: Turn) -> bool:
    """Whether a message is for the bot only because it replies to it: people talk to each other below a reminder."""
    message = turn.message
    is_called = turn.bot_name.casefold() in message.text.casefold()
    return message.reply_to is not None and not message.is_private and not is_called


def _set_as_answered(text: str, question: OpenQuestion, ear: Ear, answering: Answering) -> Interpretation | None:
    """The reminders that the answer `text` sets, at the time that it chooses or names; None when it does neither."""
    if question.asks == "content":
        content = named_by_answer(text, ear)
        return answering.set_at(content, question.person, question.options[0]) if content else None
    if question.asks == "option":
        if is_as_unclear(text, question, ear):
            return answering.ask_again(question)
        options = chosen_options(text, question, ear)
        if options:
            return answering.set_chosen(question, options)
    request = named_time(text, question, ear) or named_content(text, question, ear)
    return None if request is None else answering.set_reminders((request, *question.rest))
