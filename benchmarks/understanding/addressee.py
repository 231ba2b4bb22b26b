"""Fit the weights that tell messages for the bot from those for people.

The messages are those of our own conversations, of `labelled/addressee` and of the dialogues of the tests. The bot gets
the right answer for each message before the next one, so that the dialogue goes on as it should. Run by `make train`.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import numpy as np
from loguru import logger
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from benchmarks.evaluation.conversation_cases import OWN, Conversation, Message, conversations_in
from benchmarks.evaluation.conversation_play import play
from benchmarks.evaluation.tables import aligned, percent
from bot.testing.dialogues import Dialogue, load_dialogues
from function_calls.understanding.dialogue import addressee

WEIGHTS = Path(addressee.__file__).with_name("addressee.toml")
DIALOGUES = Path(__file__).parents[2] / "tests" / "dialogues"
LABELLED = Path(__file__).parent / "labelled" / "addressee"
_STRENGTH = 0.3
_OF_TESTS = 4.0
"""The weight of the messages of tests, so that behaviour stays."""
_FOLDS = 10
_THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
_NOTE = "# Weights of a logistic regression, written by `make train`: see `extract_features` in addressee.py.\n"


def dialogues() -> Iterator[Conversation]:
    """Yield the dialogues of the tests that take place in one chat."""
    for dialogue in load_dialogues(DIALOGUES):
        if len({step.chat for step in dialogue.steps}) == 1:
            yield as_conversation(dialogue)


def as_conversation(dialogue: Dialogue) -> Conversation:
    """Return a dialogue of the tests as a conversation; messages that reply to another have no label."""
    messages: list[Message] = []
    wait = 0.0
    for step in dialogue.steps:
        wait += step.wait_seconds
        if not step.text:
            continue
        is_answered = bool(step.expected or step.calls or step.said)
        expect = () if step.replies_to else ({"reply": True} if is_answered else {"silence": True},)
        messages.append(
            Message(
                sender=step.speaker.title(),
                text=step.text,
                kind="",
                expect=expect,
                wait_seconds=max(wait, 1.0),
                private=step.is_private,
            )
        )
        wait = 0.0
    return Conversation(
        id=dialogue.path.stem,
        lang=dialogue.path.relative_to(DIALOGUES).parts[0],
        zone=dialogue.zone,
        start=dialogue.start.isoformat(),
        messages=tuple(messages),
    )


def examples_of(conversation: Conversation) -> Iterator[tuple[Mapping[str, float], bool]]:
    """Yield the features of each message that does not name the bot, and True where it is for the bot."""
    wanted = [
        {each.get("silence", False) for each in message.expect} for message in conversation.messages if message.expect
    ]
    recorded: list[Mapping[str, float]] = []
    is_for_bot = False

    def right_answer(features: Mapping[str, float]) -> float:
        recorded.append(features)
        return float(is_for_bot)

    with patch.object(addressee, "compute_probability", right_answer):
        rows = play(conversation)
        for outcomes in wanted:
            is_for_bot = outcomes != {True}
            recorded.clear()
            next(rows)
            if recorded and len(outcomes) == 1:
                yield recorded[0], is_for_bot


def main() -> None:
    """Write the weights, and print a cross-validation in our own conversations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", help="folder with conversations; our own by default")
    options = parser.parse_args()
    logger.remove()
    tests = [*dialogues(), *conversations_in(LABELLED)]
    own = [each for folder in options.data or [OWN] for each in conversations_in(folder)]
    features, labels, groups, counts = [], [], [], []
    for number, conversation in enumerate([*tests, *own]):
        for found, label in examples_of(conversation):
            features.append(found)
            labels.append(label)
            groups.append(number)
            counts.append(_OF_TESTS if number < len(tests) else 1.0)
    vectorizer = DictVectorizer()
    rows, truth = vectorizer.fit_transform(features), np.array(labels)
    model = LogisticRegression(C=_STRENGTH, max_iter=3000)
    folds = GroupKFold(_FOLDS)
    shares = cross_val_predict(
        model, rows, truth, groups=groups, cv=folds, method="predict_proba", params={"sample_weight": counts}
    )[:, 1]
    table = [["threshold", "requests acted on", "talk acted on"]]
    for minimum in _THRESHOLDS:
        kinds = [(np.array(counts) == 1) & (truth == kind) for kind in (True, False)]
        table.append([str(minimum), *(percent(float((shares[kind] >= minimum).mean())) for kind in kinds)])
    sys.stdout.write(f"{len(labels)} messages\n" + "\n".join(aligned(table)) + "\n")
    model.fit(rows, truth, sample_weight=counts)
    weights = {"bias": float(model.intercept_[0])} | dict(
        zip(vectorizer.get_feature_names_out(), map(float, model.coef_[0]), strict=True)
    )
    lines = (f"{name} = {value:.3f}\n" for name, value in weights.items())
    WEIGHTS.write_text(_NOTE + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
