"""Words that all sites share: a closed set, so that a small model can learn to read."""

from __future__ import annotations

DATA_SEED = 20_240_501

PEOPLE = (
    "Alice Ben Carla David Emma Felix Grace Hugo Irene James Karen Leo Maria Nina "
    "Oscar Paula Quinn Rosa Simon Tina Ursula Victor Wendy Xavier Yara Zoe Bella "
    "Chris Diana Edgar Fiona George Hannah Ivan Julia Kevin Laura Marco Nora Olga "
    "Peter Ruth Stella Thomas Vera Walter"
).split()
ME = "Robin"
CITIES = (
    "London Paris Berlin Madrid Rome Oslo Vienna Lisbon Dublin Athens Prague Warsaw"
).split()
COUNTRIES = "France Germany Spain Italy Norway Austria Portugal Poland".split()
STREETS = "Park Hill Lake Mill Church Market River Station".split()
MONTHS = "January February March April May June".split()


def slugify(text: str) -> str:
    """Lower case with hyphens: "Blue Oak Lamp" -> "blue-oak-lamp"."""
    return "-".join(text.lower().split())
