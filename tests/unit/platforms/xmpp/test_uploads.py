"""Files that an XMPP server keeps, or does not."""

from xml.etree.ElementTree import Element, SubElement, fromstring

import pytest

from bot.platforms.xmpp.uploads import SPACE, keep
from services.kernel.chat import SentFile
from services.kernel.errors import DeliveryFailed

CHART = SentFile(name="chart.png", media_type="image/png", content=b"0" * 100)


class Server:
    """Has a service for files, or none."""

    def __init__(self, *, has_service=True, limit="", put="http://127.0.0.1:9/put", get="https://files.example/get"):
        self.asked = []
        self._has_service = has_service
        self._limit = limit
        self._slot = f"<iq><slot xmlns='{SPACE}'><put url='{put}'/><get url='{get}'/></slot></iq>"

    async def service_for(self, feature):
        assert feature == SPACE
        described = Element("query")
        field = SubElement(described, "{jabber:x:data}field", {"var": "max-file-size"})
        SubElement(field, "{jabber:x:data}value").text = self._limit
        return ("files.example", described) if self._has_service else None

    async def ask(self, service, question):
        self.asked.append((service, dict(question.attrib)))
        return fromstring(self._slot)


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        (Server(has_service=False), "keeps no files"),
        (Server(limit="99"), "no files of 100 bytes"),
        (Server(get=""), "named no place"),
        (Server(put="file:///etc/passwd"), "named no place"),
        (Server(), "could not be given"),
    ],
)
async def test_a_file_that_is_not_kept_says_why(server, reason):
    with pytest.raises(DeliveryFailed, match=reason):
        await keep(CHART, server)


async def test_the_service_is_told_name_size_and_kind():
    server = Server(limit="100")
    with pytest.raises(DeliveryFailed):
        await keep(CHART, server)

    assert server.asked == [("files.example", {"filename": "chart.png", "size": "100", "content-type": "image/png"})]
