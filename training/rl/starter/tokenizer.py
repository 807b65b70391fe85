"""The starter models' tokenizer: byte-level BPE, one token for a word or a tag.

A word must be the same token on a page, in an instruction and in an action, or a
small model cannot match them. So every text is normalised to have a space before
each word (after `>` of a tag and after `="`), and decoding takes those spaces away.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from transformers import PreTrainedTokenizerFast

from rollouts.policies.prompts import OLD_PAGE

PAD, BOS, EOS = "<|pad|>", "<|bos|>", "<|end|>"
USER, ASSISTANT = "<|user|>", "<|assistant|>"
SPECIALS = [PAD, BOS, EOS, USER, ASSISTANT]

PIECE = (
    r'<[a-z][a-z0-9]*(?: id=")?|</[a-z][a-z0-9]*>'  # tags, with the id attribute
    r'|(?:do\(action|exit\(message)="|, (?:element|argument)="'  # calls
    r'| [a-z-]+="|"\)|"/>|/>|">|"'  # attributes and closings
    r"| ?[A-Za-z]+| ?\$?[0-9]+|\n+| |[^A-Za-z0-9\s]"
)

CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}"
    "{% if message.content == '" + OLD_PAGE + "' %}<|user|>"
    "{% else %}"
    "{{ '<|assistant|>' if message.role == 'assistant' else '<|user|>' }}"
    "{{ message.content }}<|end|>"
    "{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def train_tokenizer(
    texts: Iterable[str], vocabulary_size: int
) -> PreTrainedTokenizerFast:
    """Learn a vocabulary from pages, instructions and actions.

    Args:
        texts: What the models will read and write.
        vocabulary_size: Upper limit; the models' embedding may be larger.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(r'(?<=[>"])(?=[A-Za-z0-9$])'), " "),
            normalizers.Replace(Regex(" +"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECE), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteLevel(), decoders.Replace('=" ', '="')]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary_size,
        special_tokens=SPECIALS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return wrap(tokenizer)


def wrap(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The tokenizer as transformers loads it, with its chat template."""
    tokenizer.add_special_tokens([AddedToken(token) for token in SPECIALS])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=BOS,
        eos_token=EOS,
        additional_special_tokens=[USER, ASSISTANT],
        model_max_length=2048,
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast
