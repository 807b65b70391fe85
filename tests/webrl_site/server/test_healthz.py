from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
import yaml
from django.db import OperationalError, connection
from django.test import Client, override_settings

from curriculum.object_store.store import StoreDown
from curriculum.object_store.watch import StoreWatch
from scripts.workbench.paths import ROOT
from tests.webrl_site.conftest import CountQueries, SignIn
from webrl_site.server import healthz
from webrl_site.server.workers import sign_on


def refuse() -> None:
    raise StoreDown("No bucket of that name.")


def no_answer(*_: Any) -> None:
    raise OperationalError("connection to 10.0.0.7 refused")


@pytest.mark.django_db
def test_a_monitor_needs_no_sign_in(client: Client):
    sign_on(name="one", queues=["loop", "rollouts"])

    response = client.get("/healthz")

    assert response.status_code == 200
    assert response.json() == {
        "database": "ok",
        "disk": "ok",
        "workers": {"loop": 1, "rollouts": 1, "training": 0, "takeover": 0},
    }
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_it_asks_the_database_one_question(client: Client, count_queries: CountQueries):
    assert count_queries(client, "/healthz") == 1


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_a_503_without_details(client: Client):
    with connection.execute_wrapper(no_answer):
        response = client.get("/healthz")

    assert response.status_code == 503
    assert response.json() == {"database": "down"}


@pytest.mark.django_db
@override_settings(SECURE_SSL_REDIRECT=True)
def test_a_monitor_may_ask_without_tls(client: Client):
    assert client.get("/healthz").status_code == 200
    assert client.get("/sign-in/").status_code == 301


def test_the_health_cards_contents_alone_lead_home(sign_in: SignIn):
    client = sign_in("annotator")

    alone = client.get("/health/")
    within = client.get("/health/", headers={"HX-Request": "true"})

    assert alone["Location"] == "/"
    assert within.status_code == 200


@pytest.mark.parametrize(("who", "count"), [("researcher", 1), ("annotator", 0)])
def test_without_scripts_the_health_card_leads_to_the_queue_who_may_see_it(
    who: str, count: int, sign_in: SignIn
):
    seen = sign_in(who).get("/").content.decode()

    unseen = seen.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "JavaScript, which is off" in unseen
    assert unseen.count('href="/runs/queue/"') == count


def test_what_is_bad_stands_on_top_of_home_too(sign_in: SignIn):
    client = sign_in("researcher")

    home = client.get("/").content.decode()
    seen = client.get("/health/", headers={"HX-Request": "true"}).content.decode()

    assert home.index('id="home-trouble"') < home.index("data-live")
    trouble = seen.partition('id="home-trouble" hx-swap-oob="true"')[2]
    assert "No worker is serving" in trouble
    assert 'href="/runs/queue/"' in trouble


def test_a_check_before_a_launch_writes_nothing_on_top_of_home(sign_in: SignIn):
    page = sign_in("researcher").get("/runs/new/").content.decode()

    assert "hx-swap-oob" not in page


@pytest.mark.django_db
def test_an_object_store_that_is_down_is_told_and_is_no_503(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
):
    settings.OBJECT_STORE = "/shared"
    monkeypatch.setattr(healthz, "WATCH", StoreWatch(refuse))

    response = client.get("/healthz")

    assert response.status_code == 200
    assert response.json()["object_store"] == "down"


@pytest.mark.django_db
@pytest.mark.parametrize("probe", ["readinessProbe", "livenessProbe"])
def test_the_probes_of_kubernetes_ask_for_what_is_there(client: Client, probe: str):
    manifests = ROOT / "deploy" / "kubernetes" / "base" / "web.yaml"
    deployment, _ = yaml.safe_load_all(manifests.read_text())
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    asked = container[probe]["httpGet"]

    with closing(client.get(asked["path"])) as response:
        assert response.status_code == 200
    assert [header["name"] for header in asked["httpHeaders"]] == ["Host"]
