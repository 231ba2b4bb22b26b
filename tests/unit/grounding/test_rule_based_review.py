"""Reviews of a model's calls by the words of the person. It is Friday 2026-11-20, 10:00."""

import pytest

from bot.testing.models import ScriptedModel
from bot.testing.turns import make_message, make_turn
from function_calls.grounding.review import RuleBasedReview
from function_calls.llm import FunctionCallLLM
from function_calls.model_calls.styles.style_detection import make_styles

PIE = "remind me tomorrow at 4pm to bake the pie"


@pytest.fixture
def review(tools):
    """Return a function that reviews calls for a text."""

    def make(text, calls, *, language="en", recent=(), is_addressed=True):
        message = make_message(text, is_addressed=is_addressed)
        turn = make_turn(message, tools=tools, language=language, recent=[make_message(each) for each in recent])
        return RuleBasedReview().review(turn, calls)

    return make


@pytest.fixture
def find_missed(tools):
    def make(text, *, language="en", is_addressed=True):
        turn = make_turn(make_message(text, is_addressed=is_addressed), tools=tools, language=language)
        return [(call.name, dict(call.arguments)) for call in RuleBasedReview().missed(turn)]

    return make


def test_time_of_the_message_replaces_that_of_the_model(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-20 14:00", content="bake the pie")

    calls_left = review(PIE, calls).calls

    assert dict(calls_left[0].arguments) == {"type": "once", "time": "2026-11-21 16:00", "content": "bake the pie"}
    assert calls_left[0].id == calls[0].id
    assert "/time: read from the message" in calls_left[0].repairs


def test_wrong_type_of_the_model_is_corrected(review, make_calls):
    calls = make_calls("reminder_set", type="daily", time="09:00", weekday=4, content="water the ferns")

    calls_left = review("every Tuesday at 9am remind me to water the ferns", calls).calls

    assert (calls_left[0].arguments["type"], calls_left[0].arguments["weekday"]) == ("weekly", 1)


def test_content_with_the_whole_request_is_reduced_to_its_subject(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 16:00", content=PIE)

    assert review(PIE, calls).calls[0].arguments["content"] == "bake the pie"


def test_invented_content_is_replaced_by_the_persons_words(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 16:00", content="prepare dessert")

    assert review(PIE, calls).calls[0].arguments["content"] == "bake the pie"


def test_content_from_an_earlier_message_is_kept(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 16:00", content="the piano lesson")

    calls_left = review("remind me tomorrow at 4pm of that", calls, recent=["when is the piano lesson again"]).calls

    assert calls_left[0].arguments["content"] == "the piano lesson"


def test_bare_clock_time_has_the_half_of_the_day_of_the_model(review, make_calls):
    calls = make_calls("reminder_set", type="daily", time="6:00", weekday=6, content="the market")

    calls_left = review("get everybody out of bed at 6 each Saturday for the market", calls).calls

    assert {name: calls_left[0].arguments[name] for name in ("type", "time", "weekday")} == {
        "type": "weekly",
        "time": "06:00",
        "weekday": 5,
    }


def test_invented_content_is_replaced_by_the_words_beside_the_time(review, make_calls):
    calls = make_calls("reminder_set", type="weekly", time="8:00", weekday=5, content="bring an umbrella")

    calls_left = review("get everybody out of bed at 8am each Saturday for the market", calls).calls

    assert "bed" in calls_left[0].arguments["content"]
    assert "umbrella" not in calls_left[0].arguments["content"]


@pytest.mark.parametrize("person", ["Ann", "the teacher", "everyone"])
def test_unmentioned_people_are_not_reminded(review, make_calls, person):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 16:00", content="bake the pie", person=person)

    assert "person" not in review(PIE, calls).calls[0].arguments


def test_named_person_is_reminded(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 16:00", content="bake the pie", person="Leo")

    calls_left = review("remind Leo tomorrow at 4pm to bake the pie", calls).calls

    assert calls_left[0].arguments["person"] == "Leo"


def test_both_requests_are_made_if_the_model_merged_them(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-20 17:00", content="call mum and cook")

    calls_left = review("remind me at 5pm to call mum and at 6pm to cook", calls).calls

    assert [call.arguments["content"] for call in calls_left] == ["call mum", "cook"]


@pytest.mark.parametrize(("text", "language"), [("remind me to buy lemons", "en"), ("提醒我买柠檬", "zh")])
def test_invented_time_is_asked_for(review, make_calls, text, language):
    calls = make_calls("reminder_set", type="once", time="2026-11-20 12:00", content="lemons")

    found = review(text, calls, language=language)

    assert found.calls == ()
    assert {"en": "buy lemons", "zh": "买柠檬"}[language] in found.question


def test_unrequested_reminder_needs_no_question(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-20 12:00", content="bring an umbrella")

    found = review("is the pool open", calls)

    assert (found.calls, found.question) == ((), "")


@pytest.mark.parametrize(
    ("text", "language"), [("see you tomorrow at 5pm by the gate", "en"), ("明天下午五点门口见", "zh")]
)
def test_a_time_among_people_is_no_reminder(review, make_calls, text, language):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 17:00", content="gate")

    assert review(text, calls, language=language, is_addressed=False).calls == ()


def test_request_between_people_needs_no_question_about_the_time(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-20 12:00", content="members")

    found = review("I would like to remind all members of our rules", calls, is_addressed=False)

    assert (found.calls, found.question) == ((), "")


def test_a_request_among_people_sets_a_reminder(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 16:00", content="bake the pie")

    assert len(review(PIE, calls, is_addressed=False).calls) == 1


def test_time_from_an_earlier_message_is_accepted(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 19:00", content="the dinner")

    assert review("remind me of the dinner then", calls, recent=["dinner tomorrow at 7pm?"]).calls == calls


@pytest.mark.parametrize(
    ("tool", "text", "language"),
    [
        ("reminder_set", "remind me at 6 to ring Tom, oh never mind", "en"),
        ("reminder_set", "my boss reminded me that the report is due at 5pm", "en"),
        ("reminder_set", "妈妈提醒我明天早上八点要吃早饭", "zh"),
        ("reminder_set", "明天八点提醒我开会，算了，不用了", "zh"),
        ("reminder_delete", "I loved how you deleted all the old ones", "en"),
        ("summary", "that recap was really helpful", "en"),
        ("summary", "这个总结写得很好", "zh"),
        ("perplexity_search", "这个搜索功能太方便了", "zh"),
        ("perplexity_search", "what a search that was, haha", "en"),
        ("reminder_list", "Hello everybody!", "en"),
        ("reminder_list", "good night all", "en"),
        ("summary", "大家晚上好！", "zh"),
    ],
)
def test_reported_or_retracted_request_is_not_carried_out(review, make_calls, tool, text, language):
    calls = make_calls(tool, type="once", time="2026-11-21 08:00", content="x", query="x", reminder_id="1")

    assert review(text, calls, language=language).calls == ()


@pytest.mark.parametrize(
    ("tool", "text", "language"),
    [
        ("summary", "that was a lot to read, can somebody sum it up?", "en"),
        ("summary", "the talk was great, please give me the short version", "en"),
        ("summary", "他们聊得太多了，给我捋一捋", "zh"),
        ("perplexity_search", "这部电影太好看了，帮我查查导演是谁", "zh"),
        ("reminder_list", "is there anything I have to do yet", "en"),
        ("reminder_delete", "kick out the third one", "en"),
        ("summary", "那段对话有点长", "zh"),
        ("perplexity_search", "that film was great, find its director", "en"),
        ("perplexity_search", "这部电影太好看了，查查导演", "zh"),
    ],
)
def test_possible_request_is_left_to_the_model(review, make_calls, tool, text, language):
    calls = make_calls(tool, query="x", reminder_id="3")

    assert review(text, calls, language=language).calls == calls


def test_call_of_an_unknown_function_is_not_reviewed(review, make_calls):
    calls = make_calls("play_music", title="song")

    assert review("I love this song", calls).calls == calls


@pytest.mark.parametrize(
    ("text", "language", "tool"),
    [
        ("list my reminders", "en", "reminder_list"),
        ("总结一下", "zh", "summary"),
        ("what's the weather in Lima", "en", "perplexity_search"),
        ("who leads the league at the moment?", "en", "perplexity_search"),
        ("现在谁是队长？", "zh", "perplexity_search"),
        ("what were they arguing about this morning?", "en", "summary"),
        ("她们刚才争什么呢", "zh", "summary"),
    ],
)
def test_plain_request_missed_by_the_model_is_made(find_missed, text, language, tool):
    assert [name for name, _ in find_missed(text, language=language)] == [tool]


def test_a_question_among_people_is_not_searched_for(find_missed):
    assert find_missed("what's the weather in Lima", is_addressed=False) == []


def test_content_may_contain_a_past_tense(review, make_calls):
    calls = make_calls("reminder_set", type="once", time="2026-11-21 08:00", content="tell Leo that it was great")

    assert review("tomorrow at 8am remind me to tell Leo that it was great", calls).calls != ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("good morning, how are you?", "en"),
        ("what are you doing today?", "en"),
        ("what time is it right now?", "en"),
        ("你今天过得怎么样？", "zh"),
        ("现在几点了？", "zh"),
    ],
)
def test_small_talk_and_known_facts_are_not_searched(find_missed, text, language):
    assert find_missed(text, language=language) == []


async def test_interpretation_is_reviewed_before_its_calls(tools):
    model = ScriptedModel(['{"tool": "summary"}', "You are welcome."])
    llm = FunctionCallLLM(model, styles=make_styles("json_router", model), reviewer=RuleBasedReview())

    found = await llm.interpret(make_turn("thanks for the summary, that was great", tools=tools))

    assert (found.calls, found.answer) == ((), "You are welcome.")


async def test_dropped_calls_between_people_are_not_answered(tools):
    model = ScriptedModel(['{"tool": "summary"}'])
    llm = FunctionCallLLM(model, styles=make_styles("json_router", model), reviewer=RuleBasedReview())

    found = await llm.interpret(
        make_turn(make_message("thanks for the summary, that was great", is_addressed=False), tools=tools)
    )

    assert (found.calls, found.answer, len(model.shown)) == ((), "", 1)


async def test_missed_request_needs_no_second_model_request(tools):
    model = ScriptedModel(['{"tool": "none"}'])
    llm = FunctionCallLLM(model, styles=make_styles("json_router", model), reviewer=RuleBasedReview())

    found = await llm.interpret(make_turn("list my reminders", tools=tools))

    assert [call.name for call in found.calls] == ["reminder_list"]
    assert len(model.shown) == 1


async def test_wrong_choice_is_replaced_by_the_clear_request(tools):
    model = ScriptedModel(['{"tool": "reminder_set", "type": "once", "time": "2026-11-20 12:00", "content": "rain"}'])
    llm = FunctionCallLLM(model, styles=make_styles("json_router", model), reviewer=RuleBasedReview())

    found = await llm.interpret(make_turn("what's the weather in Lima", tools=tools))

    assert [call.name for call in found.calls] == ["perplexity_search"]


@pytest.mark.parametrize(
    ("text", "language", "tool"),
    [
        ("what's the weather in Lima", "en", "perplexity_search"),
        ("what were they arguing about this morning?", "en", "summary"),
        ("她们刚才争什么呢", "zh", "summary"),
    ],
)
def test_call_unsupported_by_words_is_replaced_by_a_plain_request(tools, make_calls, text, language, tool):
    turn = make_turn(text, tools=tools, language=language)

    assert [call.name for call in RuleBasedReview().instead(turn, make_calls("reminder_delete", reminder_id="1"))] == [
        tool
    ]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("delete what was said about the weather today", "reminder_delete"),
        ("anything left for me?", "reminder_list"),
        ("what's planned for today?", "reminder_list"),
        ("what's the weather in Lima", "get_weather"),
        ("what's the weather in Lima", "perplexity_search"),
    ],
)
def test_call_supported_by_a_word_or_of_an_unknown_function_is_kept(tools, make_calls, text, tool):
    assert RuleBasedReview().instead(make_turn(text, tools=tools), make_calls(tool)) == ()


async def test_unusable_calls_are_replaced_by_the_clear_request(tools):
    model = ScriptedModel(['{"tool": "reminder_delete"}', '{"tool": "reminder_delete"}'])
    llm = FunctionCallLLM(model, styles=make_styles("json_router", model), reviewer=RuleBasedReview())

    found = await llm.interpret(make_turn("list my reminders", tools=tools))

    assert [call.name for call in found.calls] == ["reminder_list"]


async def test_missing_time_of_an_unaddressed_request_is_asked_for(tools):
    guess = '{"tool": "reminder_set", "type": "once", "time": "2026-11-20 12:00", "content": "buy lemons"}'
    model = ScriptedModel([guess])
    llm = FunctionCallLLM(model, styles=make_styles("json_router", model), reviewer=RuleBasedReview())

    found = await llm.interpret(make_turn(make_message("remind me to buy lemons", is_addressed=False), tools=tools))

    assert found.must_reply
    assert "buy lemons" in found.answer


@pytest.mark.parametrize(
    ("text", "words", "done"),
    [
        (PIE, "I'm sorry, as a language model I cannot set reminders.", ["reminder_set"]),
        ("明天下午四点提醒我烤派", "好的，稍等。", ["reminder_set"]),
        ("what reminders do I have?", "You have three: tea, milk and bread.", ["reminder_list"]),
        (PIE, "For everyone, or for you alone?", []),
        ("what is the capital of France?", "Paris.", []),
        ("that reminds me of the pie at 4pm", "It was a good pie.", []),
    ],
)
async def test_plain_request_answered_only_in_words_is_carried_out(tools, text, words, done):
    turn = make_turn(make_message(text), tools=tools, language="zh" if "提" in text else "en")

    found = await FunctionCallLLM(ScriptedModel([words]), reviewer=RuleBasedReview()).interpret(turn)

    assert [call.name for call in found.calls] == done
    assert found.answer == ("" if done else words)


@pytest.mark.parametrize(
    ("text", "language", "name", "done"),
    [
        ("remind me at 3pm to drink water", "en", "reminder_list", "reminder_set"),
        ("remind me at 3pm to drink water", "en", "perplexity_search", "reminder_set"),
        ("下午三点提醒我喝水", "zh", "summary", "reminder_set"),
        ("remind me at 3pm to drink water", "en", "memory_save", "reminder_set"),
        ("what reminders do I have?", "en", "reminder_set", "reminder_list"),
        ("我有哪些提醒", "zh", "perplexity_search", "reminder_list"),
        ("move the milk to 5pm", "en", "reminder_set", "reminder_update"),
        ("把牛奶的提醒删掉", "zh", "reminder_set", "reminder_delete"),
        ("pause all my reminders until Monday", "en", "reminder_delete", "reminder_state"),
    ],
)
def test_misread_request_is_carried_out_as_written(review, make_calls, text, language, name, done):
    assert [call.name for call in review(text, make_calls(name), language=language).calls] == [done]


def test_list_before_a_deletion_is_accepted(review, make_calls):
    calls = make_calls("reminder_list")

    assert review("delete the milk reminder", calls).calls == calls


def test_unrequested_delete_beside_a_reminder_is_dropped(review, make_calls):
    set_it = make_calls("reminder_set", type="once", time="15:00", content="drink water")

    calls_left = review(
        "remind me at 3pm to drink water", (*set_it, *make_calls("reminder_delete", reminder_id="all"))
    ).calls

    assert [call.name for call in calls_left] == ["reminder_set"]


def test_reference_to_one_reminder_does_not_delete_all(review, make_calls):
    calls_left = review("delete the milk reminder", make_calls("reminder_delete", reminder_id="all")).calls

    assert calls_left[0].arguments["reminder_id"] == "milk"


def test_days_known_only_to_the_model_are_kept(review, make_calls):
    first, second = (
        *make_calls("reminder_set", type="once", time="2026-11-21 09:00", content="swim"),
        *make_calls("reminder_set", type="once", time="2026-11-28 09:00", content="swim"),
    )

    apart = review("remind me to swim on Saturday at 9am and the week after", (first, second)).calls
    together = review("remind me the next two Saturdays at 9am to swim", (first, second)).calls

    assert [call.arguments["time"] for call in apart] == ["2026-11-21 09:00", "2026-11-28 09:00"]
    assert [call.arguments["rrule"][-7:] for call in together] == ["COUNT=2"]


def test_request_called_three_times_is_carried_out_once(review, make_calls):
    once = make_calls("reminder_set", type="once", time="15:00", content="drink water")
    again = make_calls("reminder_set", type="once", time="2026-11-20 15:00", content="Drink water")

    assert len(review("remind me at 3pm to drink water", (*once, *again, *once)).calls) == 1
