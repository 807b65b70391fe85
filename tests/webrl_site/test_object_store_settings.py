from __future__ import annotations

import pytest

from webrl_site import object_store_settings
from webrl_site.env import Env, EnvError
from webrl_site.object_store_settings import find_object_store


def read(**variables: str) -> tuple[str, dict[str, dict[str, object]]]:
    return find_object_store(Env(variables), "", "")


def test_without_a_store_nothing_is_installed_or_named() -> None:
    place, found = read()

    assert place == ""
    assert set(found) == {"default", "staticfiles"}


def test_a_bucket_may_have_a_prefix_and_an_address_of_its_own() -> None:
    place, found = read(
        OBJECT_STORE="s3://lab/webrl/", S3_ENDPOINT_URL="http://minio.lab:9000"
    )

    options = found["objects"]["OPTIONS"]
    assert isinstance(options, dict)
    assert place == "s3://lab/webrl/"
    assert (options["bucket_name"], options["location"]) == ("lab", "webrl")
    assert options["endpoint_url"] == "http://minio.lab:9000"
    # Without keys, those of the machine are used.
    assert options["access_key"] is None


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"OBJECT_STORE": "s3://"}, "OBJECT_STORE must name a bucket"),
        ({"OBJECT_STORE": "lab"}, "an absolute folder, not 'lab'"),
        ({"OBJECT_STORE": "gs://lab"}, "must be s3://bucket/prefix"),
        ({"S3_ENDPOINT_URL": "minio"}, r"S3_ENDPOINT_URL must be an http\(s\) address"),
    ],
)
def test_a_mistake_names_the_variable(variables: dict[str, str], line: str) -> None:
    with pytest.raises(EnvError, match=line):
        read(**variables)


def test_missing_packages_are_named_with_what_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(object_store_settings, "MODULES", ("storages", "no_such"))

    with pytest.raises(
        EnvError, match=r"django-storages and boto3; \./webrl setup --s3"
    ):
        read(OBJECT_STORE="s3://lab")
