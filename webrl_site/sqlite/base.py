"""Django's SQLite backend, whose transactions and single writes wait in line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.backends.sqlite3 import base

from webrl_site.sqlite.turn import WriteTurn, turn_at

WRITES = frozenset({"INSERT", "UPDATE", "DELETE", "REPLAC"})


class DatabaseWrapper(base.DatabaseWrapper):
    """Holds the turn from the start of a transaction to its end.

    The ignored lines below are methods of Django that its stubs lack.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_turn = False
        self.execute_wrappers.append(self._write_in_turn)

    def _find_turn(self) -> WriteTurn | None:
        """Return the file's turn; a database in memory has none."""
        name = str(self.settings_dict["NAME"])
        return None if self.is_in_memory_db() else turn_at(f"{name}-turn")

    def _start_transaction_under_autocommit(self) -> None:
        self._take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._give_turn()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _write_in_turn(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        """Execute a statement; a write outside a transaction is its own transaction."""
        is_write = sql.lstrip()[:6].upper() in WRITES
        if not is_write or not self.get_autocommit():
            return execute(sql, params, many, context)
        self._take_turn()
        try:
            return execute(sql, params, many, context)
        finally:
            self._give_turn()

    def _take_turn(self) -> None:
        turn = self._find_turn()
        if turn is not None and not self._has_turn:
            self._has_turn = turn.take()

    def _give_turn(self) -> None:
        turn = self._find_turn()
        if turn is not None and self._has_turn:
            self._has_turn = False
            turn.give()
