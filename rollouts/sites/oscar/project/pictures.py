"""Covers: one plain picture for each category, shown in its own size."""

from __future__ import annotations

import colorsys
import dataclasses
from pathlib import Path

from django.conf import settings
from PIL import Image, ImageDraw

SIZE = (110, 150)


@dataclasses.dataclass(frozen=True)
class Picture:
    """The part of a thumbnail that Oscar's templates use."""

    url: str


class AsTheyAre:
    """Satisfies `oscar.core.thumbnails.AbstractThumbnailer` without making any."""

    def generate_thumbnail(self, source: object, **options: object) -> Picture:
        return Picture(f"{settings.MEDIA_URL}{source}")

    def delete_thumbnails(self, source: object) -> None:
        """There are none."""


def draw_covers(folder: Path, categories: list[str]) -> None:
    """Write CATEGORY.png for each, and Oscar's picture for those without."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate([*categories, "image_not_found"]):
        _cover(number / (len(categories) + 1)).save(folder / f"{name.lower()}.png")


def _cover(hue: float) -> Image.Image:
    red, green, blue = (
        round(255 * part) for part in colorsys.hsv_to_rgb(hue, 0.5, 0.7)
    )
    cover = Image.new("RGB", SIZE, (red, green, blue))
    draw = ImageDraw.Draw(cover)
    draw.rectangle((0, 0, 8, SIZE[1]), fill=(red // 2, green // 2, blue // 2))
    draw.rectangle((24, 28, SIZE[0] - 16, 34), fill="white")
    draw.rectangle((24, 44, SIZE[0] - 40, 48), fill="white")
    return cover
