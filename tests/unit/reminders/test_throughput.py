"""Number of sends that are begun ahead of free senders."""

from services.reminders.delivery.config import Prefetch


def after(send_seconds: float, question_seconds: float) -> int:
    throughput = Prefetch(senders=16, most=500)
    throughput.record_send(send_seconds)
    throughput.record_query(question_seconds)
    return throughput.ahead


def test_nothing_is_begun_ahead_before_a_measurement():
    assert Prefetch(senders=16, most=500).ahead == 0


def test_almost_nothing_is_begun_ahead_on_a_slow_platform():
    assert after(send_seconds=0.2, question_seconds=0.003) == 0


def test_batch_is_begun_ahead_on_a_fast_platform():
    assert after(send_seconds=0.0, question_seconds=0.003) == 500


def test_limit_in_between_follows_the_senders():
    assert after(send_seconds=0.01, question_seconds=0.005) == 16
