"""Answers in the forms that search engines document, with invented content."""

PERPLEXITY = "POST /chat/completions"
SEARXNG = "GET /search"
TAVILY = "POST /search"
BRAVE = "GET /res/v1/web/search"
WIKIPEDIA = "GET /w/api.php"

_STAR = "https://stars.example/milky-way"
_SURVEY = "https://survey.example/gaia"
_UNUSED = "https://unused.example/"

_USAGE = {
    "prompt_tokens": 12,
    "completion_tokens": 34,
    "total_tokens": 46,
    "search_context_size": "low",
    "num_search_queries": 1,
}
_PERPLEXITY_SOURCES: dict[str, object] = {
    "citations": [_UNUSED, _SURVEY, _STAR],
    "search_results": [
        {"title": "Unused", "url": _UNUSED, "date": "2026-01-02", "snippet": "Nothing of use."},
        {"title": "Gaia survey", "url": _SURVEY, "date": None, "snippet": "Gaia counts stars."},
        {
            "title": "Milky Way",
            "url": _STAR,
            "date": "2025-08-22",
            "last_updated": "2026-02-01",
            "snippet": "A galaxy.",
        },
    ],
}
PERPLEXITY_TEXT = "The galaxy has 100 to 400 billion stars[3][2]. Faint ones are hard to count [2][9]."
"""Cites sources 3 and 2 of three, and a ninth that was never returned."""

_GALAXY = "The galaxy has 100 to 400 billion stars."
_GAIA = "Gaia counts stars [7] one by one."
_PAGES = [
    {"url": _STAR, "title": "Milky Way", "content": _GALAXY},
    {"url": "javascript:alert(1)", "title": "Not a page", "content": "Never shown."},
    {"url": _SURVEY, "title": "Gaia survey", "content": _GAIA},
]


def _completion(text: str, sources: dict[str, object]) -> dict[str, object]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message, "delta": {"role": "assistant", "content": ""}}
    return {
        "id": "c1",
        "model": "sonar",
        "created": 1_755_887_465,
        "object": "chat.completion",
        "usage": _USAGE,
        "choices": [choice],
        **sources,
    }


def _event(delta: str, finish_reason: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "finish_reason": finish_reason, "delta": {"role": "assistant", "content": delta}}
    return {"id": "c1", "model": "sonar", "object": "chat.completion.chunk", "choices": [choice], **_PERPLEXITY_SOURCES}


FOUND: dict[str, dict[str, object]] = {
    PERPLEXITY: _completion(PERPLEXITY_TEXT, _PERPLEXITY_SOURCES),
    SEARXNG: {
        "query": "stars",
        "number_of_results": 0,
        "results": [{**each, "engine": "duckduckgo", "score": 1.0, "category": "general"} for each in _PAGES],
        "answers": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [["google", "timeout"]],
    },
    TAVILY: {
        "query": "stars",
        "answer": "Some hundred billion stars.",
        "images": [],
        "follow_up_questions": None,
        "results": [{**each, "score": 0.9, "raw_content": None} for each in _PAGES],
        "response_time": 1.2,
    },
    BRAVE: {
        "type": "search",
        "query": {"original": "stars"},
        "web": {
            "type": "search",
            "results": [
                {"url": each["url"], "title": each["title"], "description": f"<strong>{each['content']}</strong>"}
                for each in _PAGES
            ],
        },
    },
    WIKIPEDIA: {
        "batchcomplete": True,
        "continue": {"gsroffset": 5, "continue": "gsroffset||"},
        "query": {
            "pages": [
                {"pageid": 3, "ns": 0, "title": "Gaia survey", "index": 2, "fullurl": _SURVEY, "extract": _GAIA},
                {"pageid": 9, "ns": 0, "title": "Nowhere", "index": 3, "fullurl": "javascript:alert(1)", "extract": ""},
                {"pageid": 7, "ns": 0, "title": "Milky Way", "index": 1, "fullurl": _STAR, "extract": _GALAXY},
            ]
        },
    },
}
"""What each engine answers when it finds something, by method and path."""

EMPTY: dict[str, dict[str, object]] = {
    PERPLEXITY: _completion("", {"citations": [], "search_results": []}),
    SEARXNG: {"query": "stars", "results": [], "answers": []},
    TAVILY: {"query": "stars", "answer": None, "results": [], "response_time": 0.3},
    BRAVE: {"type": "search", "query": {"original": "stars"}},
    WIKIPEDIA: {"batchcomplete": True},
}
"""What each engine answers when it finds nothing."""

_PIECES = ["The galaxy has 100 to 400 billion stars[", "3][2", "].", " Faint ones are hard", " to count [2][9", "]."]
STREAM = [*(_event(piece) for piece in _PIECES), _event("", "stop")]
"""Perplexity's text in pieces that part its markers; the last event ends it."""
