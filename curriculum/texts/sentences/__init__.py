"""Sentences that are stored with a code, and read in any language.

Programs read the English text: in rows, exports, logs and the API. People read the
sentence in their language, by its code and its figures (`curriculum/texts/saying.py`).
A text from elsewhere, such as a browser's message, is a plain `str` and stays as it is.
Nothing here needs Django.
"""

from __future__ import annotations

from curriculum.texts.sentences.sentence import (
    SENTENCES,
    Figure,
    Sentence,
    code_of,
    restore,
)

__all__ = ["SENTENCES", "Figure", "Sentence", "code_of", "restore"]
