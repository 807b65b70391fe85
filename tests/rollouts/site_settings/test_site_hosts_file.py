from __future__ import annotations

import json

import pytest

from curriculum.errors import WorkbenchError
from rollouts.site_settings.site_hosts_file import parse_hosts


def test_the_hosts_of_a_site_are_read():
    text = json.dumps({"map": ["http://map.lab:5000/", "https://tiles.lab"]})
    assert parse_hosts(text) == {"map": ("http://map.lab:5000", "https://tiles.lab")}
    assert parse_hosts("") == {}


@pytest.mark.parametrize(
    "value",
    [
        "http://map.lab:5000",
        [5000],
        ["map.lab:5000"],
        ["http://map.lab:5000/route"],
        ["http://map.lab:port"],
        ["http://map.lab:99999"],
        ["http://*.lab"],
        ["http://me:pass@map.lab"],
        ["http://map.lab,MAP * other"],
        ["file:///etc"],
    ],
)
def test_what_is_no_host_is_refused(value):
    with pytest.raises(WorkbenchError, match="SITE_HOSTS: map: must be a list"):
        parse_hosts(json.dumps({"map": value}))
