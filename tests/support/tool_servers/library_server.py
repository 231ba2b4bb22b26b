"""A tool server of a library with keys, passwords, tokens, paths, queries, bodies and files."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, FastAPI, File, Form, Header, HTTPException, Query, Request, UploadFile
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from fastapi.security import APIKeyHeader, APIKeyQuery, HTTPBasic, HTTPBasicCredentials, OAuth2
from pydantic import BaseModel, Field

KEY = "library-key"
CLIENT = ("reader", "reader-secret")
TOKEN = "token-of-the-library"

_TOKENS = OAuth2(flows={"clientCredentials": {"tokenUrl": "token", "scopes": {"read": "Read books"}}})


class Author(BaseModel):
    """Who wrote a book."""

    name: str
    born: int | None = None


class Book(BaseModel):
    """A book to be added."""

    title: str = Field(min_length=1, description="Title of the book")
    author: Author
    tags: list[str] = []
    kind: Literal["novel", "essay", "poem"] = "novel"


def library_server(*, elsewhere: str = "http://127.0.0.1:9/private") -> FastAPI:
    """Return the application, which redirects some callers to `elsewhere`."""
    app = FastAPI(title="Library", version="2.1")
    app.include_router(_books(), tags=["books"])
    app.include_router(_files(), tags=["files"])
    app.include_router(_people(), tags=["people"])

    @app.get("/away", operation_id="get_away", tags=["traps"])
    def get_away() -> RedirectResponse:
        """Lead the caller to another address."""
        return RedirectResponse(elsewhere)

    return app


def _member(given: Annotated[str, Depends(APIKeyHeader(name="X-Library-Key"))]) -> None:
    if given != KEY:
        raise HTTPException(403, "not a member")


def _guest(given: Annotated[str, Depends(APIKeyQuery(name="api_key"))]) -> None:
    if given != KEY:
        raise HTTPException(403, "not a guest")


def _reader(given: Annotated[str, Depends(_TOKENS)]) -> None:
    if given != f"Bearer {TOKEN}":
        raise HTTPException(401, "no token")


def _books() -> APIRouter:
    routes, books = APIRouter(), dict[int, Book]()

    @routes.put("/shelves/{shelf}/books/{number}", operation_id="put_book", dependencies=[Depends(_member)])
    def put_book(
        shelf: str,
        number: int,
        book: Book,
        copies: Annotated[int, Query(ge=1)] = 1,
        x_note: Annotated[str | None, Header()] = None,
    ) -> dict[str, object]:
        """Put a book on a shelf."""
        books[number] = book
        return {"shelf": shelf, "number": number, "copies": copies, "note": x_note, "book": book.model_dump()}

    @routes.get("/books", operation_id="find_books", dependencies=[Depends(_guest)])
    def find_books(tag: Annotated[list[str] | None, Query()] = None, limit: int = 10) -> list[dict[str, object]]:
        """Find books by tags."""
        tags = set(tag or ())
        return [{"number": n, **book.model_dump()} for n, book in books.items() if tags <= set(book.tags)][:limit]

    @routes.delete("/books/{number}", operation_id="delete_book", status_code=204)
    def delete_book(number: int) -> None:
        """Throw a book away."""
        books.pop(number, None)

    return routes


def _files() -> APIRouter:
    routes = APIRouter()

    @routes.post("/covers", operation_id="upload_cover")
    async def upload_cover(
        cover: Annotated[UploadFile, File(description="The picture")], title: Annotated[str, Form()]
    ) -> dict[str, object]:
        """Keep the cover of a book."""
        content = await cover.read()
        return {"title": title, "bytes": len(content), "type": cover.content_type}

    @routes.get("/covers/{number}", operation_id="get_cover")
    def get_cover(number: int) -> Response:
        """The picture of a cover."""
        return Response(bytes([137, 80, 78, 71, number % 256]), media_type="image/png")

    return routes


def _people() -> APIRouter:
    routes = APIRouter()

    @routes.post("/login", operation_id="check_login")
    def check_login(given: Annotated[HTTPBasicCredentials, Depends(HTTPBasic())]) -> dict[str, str]:
        """Say who is logged in."""
        return {"user": given.username}

    @routes.get("/report", operation_id="get_report", dependencies=[Depends(_reader)])
    def get_report(pages: int = 1) -> PlainTextResponse:
        """A report of so many pages."""
        return PlainTextResponse("All is well. " * 100 * pages)

    @routes.post("/token", include_in_schema=False)
    async def give_token(request: Request, given: Annotated[HTTPBasicCredentials, Depends(HTTPBasic())]) -> object:
        """Give a token to the client that shows its secret."""
        form = await request.form()
        if (given.username, given.password) != CLIENT or form.get("grant_type") != "client_credentials":
            raise HTTPException(401, "unknown client")
        return {"access_token": TOKEN, "token_type": "bearer", "expires_in": 3600}

    return routes
