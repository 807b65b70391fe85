"""One browser and the sites that it opens: everything that episodes share."""

from __future__ import annotations

from collections.abc import Mapping

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.evaluators import Judge
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.browser.hosting.hosts import SiteHost
from rollouts.browser.hosting.signing_in import PATIENCE_MS, SIGN_IN_S, SignIns
from rollouts.browser.observation.observations import ObservationOptions, SettleLimits
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.browser.types import SignIn
from rollouts.browser.verified.types import VerifiedScorer


class BrowserWorld:
    """Makes environments on one browser. Used from one asyncio loop only."""

    def __init__(
        self,
        host: SiteHost,
        pool: PoolOptions,
        observation: ObservationOptions,
        judge: Judge | None = None,
        sign_ins: Mapping[str, SignIn] | None = None,
        shops: Mapping[str, ShopInterface] | None = None,
        dialect: DialectName = "webrl",
        acting: ActingOptions | None = None,
        verified: VerifiedScorer | None = None,
        sign_in_s: float = SIGN_IN_S,
        settle: SettleLimits | None = None,
    ) -> None:
        """Nothing is started before the first `reset` of an environment.

        `sign_in_s` is the longest wait for one sign-in to a site, `settle` how long
        pages are waited for.
        """
        self._host = host
        self._pool = BrowserPool(pool, observation.form)
        self._observation = observation
        self._judge = judge
        self._shops = shops or {}
        self._dialect: DialectName = dialect
        self._acting = acting
        self._verified = verified
        self._settle = settle or SettleLimits()
        self._sign_ins = SignIns(
            self._pool,
            sign_ins or {},
            patience_ms=max(PATIENCE_MS, self._settle.navigation),
            deadline_s=sign_in_s,
        )

    def environment(self) -> BrowserEnvironment:
        """Return an environment for one episode at a time."""
        return BrowserEnvironment(
            self._pool,
            self._host,
            options=self._observation,
            settle=self._settle,
            judge=self._judge,
            sign_ins=self._sign_ins,
            shops=self._shops,
            dialect=self._dialect,
            acting=self._acting,
            verified=self._verified,
        )

    async def close(self) -> None:
        """End the browser and the connections to the sites."""
        await self._pool.close()
        await self._host.aclose()
