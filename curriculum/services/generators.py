"""Generators for `TASK_GENERATOR` that need settings."""

from __future__ import annotations

from django.conf import settings

from curriculum.errors import GeneratorError
from curriculum.evolution.openai_generator import GeneratorOptions, OpenAIGenerator


def open_openai_generator() -> OpenAIGenerator:
    """Return the generator behind GENERATOR_URL.

    Raises:
        GeneratorError: GENERATOR_URL or GENERATOR_MODEL is not set.
    """
    if not settings.GENERATOR_URL or not settings.GENERATOR_MODEL:
        raise GeneratorError("Set GENERATOR_URL and GENERATOR_MODEL.")
    return OpenAIGenerator(
        GeneratorOptions(
            base_url=settings.GENERATOR_URL,
            model=settings.GENERATOR_MODEL,
            api_key=settings.GENERATOR_API_KEY,
        )
    )
