"""Fit the weights of addressee detection, which separates messages for the bot from those for people.

The messages are from our own conversations, `labelled/addressee`, and the dialogues of the tests. The detection returns
the right result for each message while a conversation is played, so that errors do not affect later messages. Run by
`make train`.
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

from benchmarks.evaluation.conversation_cases import OWN_CONVERSATIONS, Conversation, Message, load_conversations
from benchmarks.evaluation.conversation_play import play
from benchmarks.evaluation.tables import align_rows, format_percent
from bot.testing.dialogues import Dialogue, load_dialogues
from function_calls.understanding.dialogue import addressee

WEIGHTS = Path(addressee.__file__).with_name("addressee.toml")
DIALOGUES = Path(__file__).parents[2] / "tests" / "dialogues"
LABELLED = Path(__file__).parent / "labelled" / "addressee"
_INVERSE_REGULARIZATION = 0.3
_WEIGHT_OF_TESTS = 4.0
"""The weight of messages from tests, which define the expected behaviour."""
_FOLDS = 10
_THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)
_NOTE = "# Weights of a logistic regression, written by `make train`: see `extract_features` in addressee.py.\n"


def load_test_conversations() -> Iterator[Conversation]:
    """Yield the dialogues of the tests that have a single chat."""
    for dialogue in load_dialogues(DIALOGUES):
        if len({step.chat for step in dialogue.steps}) == 1:
            yield convert_dialogue(dialogue)


def convert_dialogue(dialogue: Dialogue) -> Conversation:
    """Return a dialogue of the tests as a conversation, in which replies to other messages have no label."""
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


def extract_examples(conversation: Conversation) -> Iterator[tuple[Mapping[str, float], bool]]:
    """Yield the features of each message without the bot's name, and True if it is for the bot."""
    wanted = [
        {each.get("silence", False) for each in message.expect} for message in conversation.messages if message.expect
    ]
    recorded: list[Mapping[str, float]] = []
    is_for_bot = False

    def return_label(features: Mapping[str, float]) -> float:
        recorded.append(features)
        return float(is_for_bot)

    with patch.object(addressee, "compute_probability", return_label):
        rows = play(conversation)
        for outcomes in wanted:
            is_for_bot = outcomes != {True}
            recorded.clear()
            next(rows)
            if recorded and len(outcomes) == 1:
                yield recorded[0], is_for_bot


def main() -> None:
    """Write the weights, and print the results of a cross-validation with our own conversations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", help="folder with conversations; our own by default")
    options = parser.parse_args()
    logger.remove()
    tests = [*load_test_conversations(), *load_conversations(LABELLED)]
    own = [each for folder in options.data or [OWN_CONVERSATIONS] for each in load_conversations(folder)]
    features, labels, groups, weights = [], [], [], []
    for number, conversation in enumerate([*tests, *own]):
        for found, label in extract_examples(conversation):
            features.append(found)
            labels.append(label)
            groups.append(number)
            weights.append(_WEIGHT_OF_TESTS if number < len(tests) else 1.0)
    vectorizer = DictVectorizer()
    rows, truth = vectorizer.fit_transform(features), np.array(labels)
    model = LogisticRegression(C=_INVERSE_REGULARIZATION, max_iter=3000)
    folds = GroupKFold(_FOLDS)
    shares = cross_val_predict(
        model, rows, truth, groups=groups, cv=folds, method="predict_proba", params={"sample_weight": weights}
    )[:, 1]
    table = [["threshold", "requests acted on", "talk acted on"]]
    for minimum in _THRESHOLDS:
        kinds = [(np.array(weights) == 1) & (truth == kind) for kind in (True, False)]
        table.append([str(minimum), *(format_percent(float((shares[kind] >= minimum).mean())) for kind in kinds)])
    sys.stdout.write(f"{len(labels)} messages\n" + "\n".join(align_rows(table)) + "\n")
    model.fit(rows, truth, sample_weight=weights)
    coefficients = {"bias": float(model.intercept_[0])} | dict(
        zip(vectorizer.get_feature_names_out(), map(float, model.coef_[0]), strict=True)
    )
    lines = (f"{name} = {value:.3f}\n" for name, value in coefficients.items())
    WEIGHTS.write_text(_NOTE + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
