"""Turn a model's claims into bullets; drop those without known or supporting messages."""

from collections.abc import Iterable, Sequence

from services.kernel.chat import ChatMessage
from services.summary.evidence import Evidence
from services.summary.model import Bullet
from services.summary.model_answers import ClaimedBullet

_MOST_IDS = 5


def check_claims(claims: Iterable[ClaimedBullet], part: Sequence[ChatMessage]) -> tuple[Bullet, ...]:
    """Return the supported claims about the messages of `part`, in the order of the conversation."""
    names = {message.sender.name for message in part}
    return _kept(_checked_claim(claim, part, names) for claim in _in_order(claims, len(part)))


def check_merges(claims: Iterable[ClaimedBullet], points: Sequence[Bullet]) -> tuple[Bullet, ...]:
    """Return the supported claims about `points`, each with the messages of the points it cites."""
    return _kept(_checked_merge(claim, points) for claim in _in_order(claims, len(points)))


def _in_order(claims: Iterable[ClaimedBullet], count: int) -> list[ClaimedBullet]:
    """Return claims that say something and cite known lines only."""
    known = range(1, count + 1)
    citing = [
        claim for claim in claims if claim.text.strip() and claim.ids and all(each in known for each in claim.ids)
    ]
    return sorted(citing, key=lambda claim: min(claim.ids))


def _checked_claim(claim: ClaimedBullet, part: Sequence[ChatMessage], names: set[str]) -> Bullet | None:
    cited = [part[number - 1] for number in sorted(set(claim.ids))][:_MOST_IDS]
    authors = {message.sender.name for message in cited}
    evidence = Evidence(
        texts=tuple(message.text for message in cited), names=tuple(authors), outsiders=tuple(names - authors)
    )
    text = " ".join(claim.text.split())
    if not evidence.supports(text, quote=claim.quote):
        return None
    return Bullet(text=text, message_ids=tuple(message.id for message in cited), sender=cited[0].sender.name)


def _checked_merge(claim: ClaimedBullet, points: Sequence[Bullet]) -> Bullet | None:
    cited = [points[number - 1] for number in sorted(set(claim.ids))]
    text = " ".join(claim.text.split())
    if not Evidence(texts=tuple(point.text for point in cited), names=()).supports(text):
        return None
    ids = dict.fromkeys(message_id for point in cited for message_id in point.message_ids)
    return Bullet(text=text, message_ids=tuple(ids)[:_MOST_IDS], sender=cited[0].sender)


def _kept(bullets: Iterable[Bullet | None]) -> tuple[Bullet, ...]:
    return tuple(bullet for bullet in bullets if bullet is not None)
