"""Latency of the model as a histogram."""

import pytest

from bot.observability.metrics import ModelLatency
from services.kernel.errors import ModelUnavailable
from services.language_model.ports import Completion, CompletionRequest, Usage

REQUEST = CompletionRequest(messages=())


class Model:
    """A model that takes these seconds of a clock of its own, and then answers or fails."""

    name = "small"

    def __init__(self, *seconds, error=None):
        self.seconds = list(seconds)
        self.error = error
        self.now = 0.0

    async def complete(self, request):
        self.now += self.seconds.pop(0)
        if self.error:
            raise self.error
        return Completion(text="yes", calls=(), finish_reason="stop", model="small-1", usage=Usage())


async def test_every_request_is_counted_in_its_step():
    model = Model(0.1, 0.3, 500)
    latency = ModelLatency(lambda: model.now)
    for _ in range(3):
        await latency.model(model).complete(REQUEST)

    histogram = latency.by_outcome["small", "ok"]
    assert dict(histogram.up_to()) == {
        "0.01": 0,
        "0.05": 0,
        "0.1": 1,
        "0.25": 1,
        "0.5": 2,
        "1.0": 2,
        "2.5": 2,
        "5.0": 2,
        "10.0": 2,
        "20.0": 2,
        "40.0": 2,
        "80.0": 2,
        "+Inf": 3,
    }
    assert histogram.seconds == pytest.approx(500.4)


async def test_a_request_without_an_answer_is_counted_with_the_reason():
    model = Model(2, error=ModelUnavailable("timeout"))
    latency = ModelLatency(lambda: model.now)
    with pytest.raises(ModelUnavailable):
        await latency.model(model).complete(REQUEST)

    assert {key: sum(histogram.counts) for key, histogram in latency.by_outcome.items()} == {("small", "timeout"): 1}
