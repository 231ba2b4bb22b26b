"""Write single small rows to PostgreSQL from the event loop, each in its own transaction.

A thread takes longer to wake than the server to write such a row, and several times the processor's time.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import sqlalchemy as sa
from loguru import logger

from services.storage.engine.postgres import Role, engine

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn

_NAME = b"note"


class AutocommitWriter:
    """A session that executes `statement` with values `$1`, `$2` and so on, each time in its own transaction.

    One row at a time; used in one event loop. In `thread` it connects.
    """

    def __init__(self, url: sa.URL, statement: str, thread: Executor) -> None:
        self._engine = engine(url, Role.QUICK).execution_options(isolation_level="AUTOCOMMIT")
        self._statement = statement.encode()
        self._thread = thread
        self._session: sa.Connection | None = None
        self._line: PGconn | None = None
        self._socket = -1  # the driver knows it no longer once the connection is lost
        self._answer: asyncio.Future[bool] | None = None

    async def open(self) -> bool:
        """Connect and have the statement planned, unless that is done; False when it failed."""
        if self._line is not None:
            return True
        from psycopg import Error

        loop = asyncio.get_running_loop()
        try:
            self._line = await loop.run_in_executor(self._thread, self._connect)
        except (Error, sa.exc.DBAPIError) as error:
            self._give_up(error)
            return False
        self._socket = self._line.socket
        loop.add_reader(self._socket, self._read)
        return True

    async def write(self, values: Sequence[str]) -> bool:
        """Write a row; False when that failed or may have."""
        from psycopg import Error

        if not await self.open() or self._line is None:
            return False
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._answer = answer
        try:
            # The server has answered everything before, so there is room for a row in the system's buffers.
            self._line.send_query_prepared(_NAME, [value.encode() for value in values])
            self._line.flush()
            return await answer
        except Error as error:
            self._give_up(error)
            return False
        except asyncio.CancelledError:
            self.close()  # the next row must not get this one's answer
            raise

    def close(self) -> None:
        """Close the session; the next row opens another."""
        line, self._line = self._line, None
        if line is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
        session, self._session = self._session, None
        if session is not None:
            session.invalidate()
            session.close()
        self._end(is_written=False)

    def _connect(self) -> "PGconn":
        from psycopg import Connection, OperationalError
        from psycopg.pq import ExecStatus

        self._session = self._engine.connect()
        connection = self._session.connection.driver_connection
        assert isinstance(connection, Connection)  # noqa: S101 - the driver that the engine is made with
        prepared = connection.pgconn.prepare(_NAME, self._statement)
        if prepared.status != ExecStatus.COMMAND_OK:
            raise OperationalError(prepared.get_error_message())
        return connection.pgconn

    def _read(self) -> None:
        """Read from the server; the answer is complete when there is no further result."""
        from psycopg import Error
        from psycopg.pq import ExecStatus

        line = self._line
        if line is None:
            return
        try:
            line.consume_input()
            while not line.is_busy():
                result = line.get_result()
                if result is None:
                    self._end(is_written=True)
                    return
                if result.status != ExecStatus.COMMAND_OK:
                    self._give_up(result.get_error_message())
                    return
        except Error as error:
            self._give_up(error)

    def _give_up(self, problem: object) -> None:
        logger.warning("could not record sent reminders in PostgreSQL: {}", problem)
        self.close()

    def _end(self, *, is_written: bool) -> None:
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_result(is_written)
