from __future__ import annotations

import json

import pytest

from curriculum.errors import WorkbenchError
from rollouts.browser.process.egress import AllowedHost
from rollouts.site_settings.site_hosts_file import parse_hosts


def test_the_hosts_of_a_site_are_read():
    addresses = [
        *("http://Map.lab:5000/", "http://map.lab:5000", "https://tiles.lab"),
        *("http://127.0.0.1:5001", "http://[FD00:0::7]:5000"),
    ]
    assert parse_hosts(json.dumps({"map": addresses})) == {
        "map": (
            AllowedHost("map.lab", 5000, site="map"),
            AllowedHost("tiles.lab", 443, site="map"),
            AllowedHost("127.0.0.1", 5001, site="map"),
            AllowedHost("fd00::7", 5000, site="map"),
        )
    }
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
        ["http://a.lab;b.lab"],
        ["http://-map.lab"],
        ["http://map..lab"],
        ["http://2130706433"],
        ["http://127.1"],
        ["http://0x7f000001"],
        ["http://300.0.0.1"],
        ["http://[::1"],
        ["http://[fd00::7]:5000/route"],
        ["http://[fe80::1%eth0]"],
        [f"http://{'a' * 64}.lab"],
        ["ftp://map.lab"],
        ["file:///etc"],
        ["http://"],
    ],
)
def test_what_is_no_host_is_refused(value):
    with pytest.raises(WorkbenchError, match="SITE_HOSTS: map: must be a list"):
        parse_hosts(json.dumps({"map": value}))
