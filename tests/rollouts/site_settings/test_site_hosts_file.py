from __future__ import annotations

import json

import pytest

from curriculum.errors import WorkbenchError
from rollouts.site_settings.site_hosts_file import parse_hosts


def test_the_hosts_of_a_site_are_read():
    text = json.dumps({"map": ["http://map.lab:5000/", "https://tiles.lab"]})
    assert parse_hosts(text) == {"map": ("http://map.lab:5000", "https://tiles.lab")}
    assert parse_hosts("") == {}


def test_an_address_without_a_name_is_a_host():
    hosts = ["http://10.0.0.7:5000"]
    assert parse_hosts(json.dumps({"map": hosts})) == {"map": tuple(hosts)}


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
        ["http://a;b"],
        ["http://127.1"],
        ["http://2130706433"],
        ["http://0x7f000001"],
        ["http://-a.lab"],
        ["http://[fd00::7]:5000"],
        ["http://"],
    ],
)
def test_what_is_no_host_is_refused(value):
    with pytest.raises(WorkbenchError, match="SITE_HOSTS: map: must be a list"):
        parse_hosts(json.dumps({"map": value}))
