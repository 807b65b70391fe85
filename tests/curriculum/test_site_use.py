from __future__ import annotations

import pytest

from curriculum.rules.site_use import SiteUse
from webrl_site.runs.config import RunConfig, RunConfigError


def test_sharing_needs_resets_that_let_several_use_an_instance():
    with pytest.raises(RunConfigError, match="share_sites needs reset_sites"):
        RunConfig.parse({"rollout": {"share_sites": True}})

    config = RunConfig.parse(
        {"rollout": {"share_sites": True, "reset_sites": "per_phase"}}
    )
    assert config.rollout.site_use == SiteUse(every=None, shares=True)


def test_a_stage_goes_on_with_what_it_changed_itself():
    use = SiteUse(every=None)

    assert not use.is_due(9, "1/collect", "1/collect")
    assert not use.is_due(0, "", "1/evaluate")
    assert use.is_due(1, "1/collect", "2/collect")
