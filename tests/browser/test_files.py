"""Files and pictures in the room: uploads, display and refusals."""

import struct
import zlib

from playwright.async_api import expect

from tests.browser.visitors import Visitors, say

REFUSED = "status of 415"


def make_png(width: int = 120, height: int = 80) -> bytes:
    """Return a PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x0a\x75\x50" * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PASTE = """([field, bytes]) => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(bytes)], 'pasted.png', {type: 'image/png'}))
    field.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}))
}"""


async def test_pictures_and_files_are_sent_shown_to_all_and_stored(visitors: Visitors):
    ada = await visitors.enter("Ada")
    lin = await visitors.enter("Lin")
    files = [
        {"name": "desk.png", "mimeType": "image/png", "buffer": make_png()},
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"milk, bread"},
        {"name": "page.html", "mimeType": "text/html", "buffer": b"<p>"},
    ]

    await ada.locator(".composer input[type=file]").set_input_files(files)
    await expect(ada.locator("[data-attached=ready]")).to_have_count(2)
    await expect(ada.locator("[data-attached=failed]")).to_contain_text("Allowed types")
    await ada.get_by_label("Remove page.html").click()
    await say(ada, "my desk")
    field = await ada.locator("#composer").element_handle()
    await ada.evaluate(PASTE, [field, list(make_png(20, 20))])
    await expect(ada.locator("[data-attached=ready]")).to_have_count(1)
    await ada.get_by_role("button", name="Send", exact=True).click()

    for page in (ada, lin):
        await expect(page.locator("[data-message] img.picture")).to_have_count(2)
        await expect(page.locator("[data-message] a.file")).to_have_text("notes.txt")
    await lin.get_by_role("button", name="Preview").click()
    await expect(lin.locator(".file-card pre")).to_have_text("milk, bread")
    await lin.reload()
    await expect(lin.locator("[data-message] img.picture")).to_have_count(2)
    widths = await lin.locator("img.picture").evaluate_all("all => all.map(one => one.naturalWidth)")
    assert widths == [120, 20]
    async with lin.expect_download() as download:
        await lin.locator("[data-message] a.file").click()
    assert (await (await download.value).path()).read_bytes() == b"milk, bread"
    visitors.errors[:] = [each for each in visitors.errors if REFUSED not in each]


async def test_picture_viewer_is_used_with_the_keyboard(visitors: Visitors):
    page = await visitors.enter("Ada")
    files = [
        {"name": f"{name}.png", "mimeType": "image/png", "buffer": make_png(size, size)}
        for name, size in (("one", 40), ("two", 60))
    ]
    await page.locator(".composer input[type=file]").set_input_files(files)
    await expect(page.locator("[data-attached=ready]")).to_have_count(2)
    await page.get_by_role("button", name="Send", exact=True).click()

    await page.locator("[data-message]").get_by_label("Image: one.png").click()
    viewer = page.get_by_role("dialog")
    await expect(viewer.get_by_role("img", name="one.png")).to_have_js_property("naturalWidth", 40)
    await page.keyboard.press("ArrowRight")
    await expect(viewer.get_by_role("img", name="two.png")).to_have_js_property("naturalWidth", 60)
    await page.keyboard.press("Escape")
    await expect(viewer).to_have_count(0)


async def test_text_that_is_not_to_be_had_is_no_preview(visitors: Visitors):
    page = await visitors.enter("Ada")
    files = [{"name": "notes.txt", "mimeType": "text/plain", "buffer": b"milk, bread"}]
    await page.locator(".composer input[type=file]").set_input_files(files)
    await expect(page.locator("[data-attached=ready]")).to_have_count(1)
    await page.get_by_role("button", name="Send", exact=True).click()
    url = await page.locator("[data-message] a.file").get_attribute("href")
    await page.route(f"**{url}", lambda route: route.fulfill(status=404, json={"detail": "Not found."}))

    await page.get_by_role("button", name="Preview", exact=True).click()

    await expect(page.locator(".file-card").get_by_role("alert")).to_be_visible()
    await expect(page.locator(".file-card pre")).to_have_count(0)
    visitors.errors[:] = [each for each in visitors.errors if "status of 404" not in each]
