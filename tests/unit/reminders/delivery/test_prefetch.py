"""The number of sends begun in advance of free senders."""

from services.reminders.delivery.config import Prefetch


def after(send_seconds: float, question_seconds: float) -> int:
    throughput = Prefetch(senders=16, maximum=500)
    throughput.record_send(send_seconds)
    throughput.record_query(question_seconds)
    return throughput.ahead


def test_no_send_is_begun_in_advance_before_a_measurement():
    assert Prefetch(senders=16, maximum=500).ahead == 0


def test_few_sends_are_begun_in_advance_on_a_slow_platform():
    assert after(send_seconds=0.2, question_seconds=0.003) == 0


def test_batch_is_begun_in_advance_on_a_fast_platform():
    assert after(send_seconds=0.0, question_seconds=0.003) == 500


def test_limit_in_between_follows_the_senders():
    assert after(send_seconds=0.01, question_seconds=0.005) == 16
