"""Words that all sites share: a closed set, so that a small model can learn to read."""

from __future__ import annotations

DATA_SEED = 20_240_501


def words(text: str) -> list[str]:
    """The words of a text, as written."""
    return text.split()


PEOPLE = words(
    "Alice Ben Carla David Emma Felix Grace Hugo Irene James Karen Leo Maria Nina "
    "Oscar Paula Quinn Rosa Simon Tina Ursula Victor Wendy Xavier Yara Zoe Bella "
    "Chris Diana Edgar Fiona George Hannah Ivan Julia Kevin Laura Marco Nora Olga "
    "Peter Ruth Stella Thomas Vera Walter"
)
ME = "Robin"
CITIES = words(
    "London Paris Berlin Madrid Rome Oslo Vienna Lisbon Dublin Athens Prague Warsaw"
)
COUNTRIES = words("France Germany Spain Italy Norway Austria Portugal Poland")
STREETS = words("Park Hill Lake Mill Church Market River Station")
MONTHS = words("January February March April May June")
# What people are asked to write in comments, messages and posts.
TEXTS = (
    "Great work",
    "Thank you so much",
    "I do not agree",
    "Please tell me more",
    "This helped me a lot",
    "Where can I see one",
    "Count me in",
    "What a good idea",
    "I want one too",
    "See you next week",
    "My friends love it",
    "Can you help me",
)


def slugify(text: str) -> str:
    """Lower case with hyphens: "Blue Oak Lamp" -> "blue-oak-lamp"."""
    return "-".join(text.lower().split())
