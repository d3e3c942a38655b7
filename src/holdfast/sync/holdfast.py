"""`Holdfast` for code without `await`: the object of `holdfast.app`, on a thread with an event loop."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Literal, Self

from holdfast.app import Holdfast as AsyncHoldfast
from holdfast.authoring.catalog import Catalog, default_catalog
from holdfast.errors import OpenedBefore
from holdfast.settings import Settings
from holdfast.sync.calls import ClientCalls
from holdfast.sync.loop_thread import LoopThread


class Holdfast(ClientCalls):
    """Durable workflows over one database, for Flask, Django and scripts.

        with Holdfast("sqlite:///shop.db") as hf:
            run = hf.start(fulfil, order, id="order-42")
            receipt = run.result()

    It has the arguments and the calls of `holdfast.Holdfast`, and each call waits. Any number of threads may
    use it at once. A process that only starts runs, such as a web server, says `engine=False`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        namespace: str | None = None,
        engine: bool | Literal["own"] = True,
        catalog: Catalog = default_catalog,
        **settings: Any,
    ) -> None:
        inner = AsyncHoldfast(url, namespace=namespace, engine=engine, catalog=catalog, **settings)
        super().__init__(inner, LoopThread())
        self._lock = threading.Lock()
        self._was_opened = False

    @property
    def settings(self) -> Settings:
        return self.inner.settings

    @property
    def namespace(self) -> str:
        return self.inner.namespace

    @property
    def drained_by(self) -> str | None:
        return self.inner.drained_by

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> None:
        """Start the thread, and do on it what `holdfast.Holdfast.open` does. Raises InEventLoop, too.

        A process may end without `close`. For its runs that is a crash: other nodes go on with them."""
        with self._lock:
            if self._was_opened:
                raise OpenedBefore
            self._thread.start()
            self._was_opened = True
        try:
            self._thread.call(self.inner.open)
        except BaseException:
            self._thread.stop(self.inner.close)
            raise

    def close(self) -> None:
        """Stop in order: let tasks finish, hand back the rest, close the database. May be called again.

        Calls of other threads that still wait raise NotOpen. In a fork of the process that opened it, this
        does nothing."""
        if self._thread.is_in_fork:
            return
        if not self._thread.refuse_calls():
            self._thread.join()  # another thread is closing it
            return
        self._thread.stop(self.inner.close)
