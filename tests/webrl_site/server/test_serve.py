from __future__ import annotations

from typing import Any

import pytest

from webrl_site.server.serve import configure


@pytest.mark.parametrize("behind_proxy", [False, True])
def test_headers_of_a_proxy_count_only_behind_one(settings: Any, behind_proxy: bool):
    settings.BEHIND_PROXY = behind_proxy

    assert configure().proxy_headers is behind_proxy
