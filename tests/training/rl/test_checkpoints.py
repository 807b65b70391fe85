from __future__ import annotations

import errno
import json

import pytest
import torch

from tests.training.rl import tiny
from training.rl import checkpoints
from training.rl.checkpoints import CheckpointError
from training.rl.critic import Critic, load_critic


@pytest.fixture
def saved(tmp_path, model, tokenizer):
    checkpoints.save_checkpoint(tmp_path / "policy", model, tokenizer)
    return tmp_path / "policy"


def test_a_saved_checkpoint_verifies_with_the_digest_it_was_given(
    tmp_path, model, tokenizer
):
    digest = checkpoints.save_checkpoint(tmp_path / "p", model, tokenizer)
    assert checkpoints.verify(tmp_path / "p") == digest


def test_a_flipped_bit_in_the_weights_is_refused(saved):
    path = saved / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(CheckpointError, match="has changed since it was saved"):
        checkpoints.load_policy_model(saved)


def test_truncated_weights_are_refused(saved):
    path = saved / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="has changed"):
        checkpoints.verify(saved)


def test_a_missing_file_is_named(saved):
    (saved / "tokenizer.json").unlink()
    with pytest.raises(CheckpointError, match=r"tokenizer\.json is missing"):
        checkpoints.verify(saved)


def test_a_garbled_manifest_is_refused(saved):
    (saved / "manifest.json").write_text("{")
    with pytest.raises(CheckpointError, match="not readable"):
        checkpoints.verify(saved)


def test_an_empty_directory_is_no_checkpoint(tmp_path):
    with pytest.raises(CheckpointError, match=r"config\.json is missing"):
        checkpoints.verify(tmp_path)


def test_a_manifest_cannot_point_outside_its_directory(saved):
    manifest = json.loads((saved / "manifest.json").read_text())
    manifest["files"]["../secret"] = "0"
    (saved / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match="secret is missing"):
        checkpoints.verify(saved)


def test_saving_again_replaces_the_checkpoint(saved, model, tokenizer):
    model.get_input_embeddings().weight.data += 1
    digest = checkpoints.save_checkpoint(saved, model, tokenizer)
    assert checkpoints.verify(saved) == digest
    assert [p.name for p in saved.parent.iterdir()] == ["policy"]


class FullDisk:
    def save_pretrained(self, folder):
        (folder / "half").write_text("of a tokenizer")
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_failed_save_leaves_nothing_and_the_old_checkpoint(saved, model):
    with pytest.raises(OSError, match="No space"):
        checkpoints.save_checkpoint(saved, model, FullDisk())
    assert [path.name for path in saved.parent.iterdir()] == ["policy"]
    assert checkpoints.verify(saved)


def test_what_killed_saves_left_is_removed_by_the_next_one(saved, model, tokenizer):
    for name in (".policy.06f3e414", ".policy.old-18ae02a9", ".policy.v2.06f3e414"):
        (saved.parent / name).mkdir()
    checkpoints.save_checkpoint(saved, model, tokenizer)
    # The last is another checkpoint's.
    left = {path.name for path in saved.parent.iterdir()}
    assert left == {"policy", ".policy.v2.06f3e414"}


def test_a_critic_keeps_its_heads(tmp_path, model, tokenizer):
    critic = Critic(model.get_decoder(), None)
    critic.save(tmp_path / "critic", tokenizer)
    loaded = load_critic(tmp_path / "critic")
    for name, tensor in critic.heads.state_dict().items():
        assert loaded.heads.state_dict()[name].equal(tensor)


AVX2 = {"avx2": True, "avx512_f": True, "avx512_bf16": False, "amx_bf16": False}
ABLE = AVX2 | {"avx512_bf16": True}


@pytest.mark.parametrize("instruction", ["avx512_bf16", "amx_bf16"])
def test_native_precision_is_bfloat16_where_the_processor_multiplies_it(instruction):
    assert checkpoints.uses_bfloat16("native", AVX2 | {instruction: True})


def test_native_precision_is_float32_where_nothing_multiplies_bfloat16():
    on_gpu = torch.cuda.is_available()
    assert checkpoints.uses_bfloat16("native", AVX2) == on_gpu


def test_a_narrow_model_is_read_in_float32_on_any_processor(saved):
    on_gpu = torch.cuda.is_available()
    expected = torch.bfloat16 if on_gpu else torch.float32
    assert checkpoints.preferred_dtype(saved, ABLE) == expected


@pytest.fixture
def wide(tmp_path, tokenizer):
    model = tiny.build_model(tokenizer, width=checkpoints.BFLOAT16_WIDTH)
    checkpoints.save_checkpoint(tmp_path / "wide", model, tokenizer)
    return tmp_path / "wide"


def test_a_wide_model_is_read_in_bfloat16_where_the_processor_multiplies_it(wide):
    assert checkpoints.preferred_dtype(wide, ABLE) == torch.bfloat16


def test_a_wide_model_is_read_in_float32_where_nothing_multiplies_bfloat16(wide):
    on_gpu = torch.cuda.is_available()
    expected = torch.bfloat16 if on_gpu else torch.float32
    assert checkpoints.preferred_dtype(wide, AVX2) == expected


def test_a_loaded_model_has_the_preferred_numbers(wide):
    expected = checkpoints.preferred_dtype(wide)
    assert checkpoints.load_policy_model(wide).dtype == expected


def test_a_wide_model_is_trained_in_float32(wide):
    model = checkpoints.load_policy_model(wide, dtype=torch.float32)
    assert model.dtype == torch.float32


@pytest.mark.parametrize(
    ("precision", "uses"), [("bfloat16", True), ("float32", False)]
)
def test_a_named_precision_is_taken_whatever_the_processor(precision, uses):
    assert checkpoints.uses_bfloat16(precision, AVX2) == uses


def test_a_tokenizer_without_an_end_of_text_is_refused(tmp_path, tokenizer):
    tokenizer.save_pretrained(tmp_path)
    path = tmp_path / "tokenizer_config.json"
    settings = json.loads(path.read_text()) | {"eos_token": None, "pad_token": None}
    path.write_text(json.dumps(settings))
    with pytest.raises(CheckpointError, match="name one as eos_token"):
        checkpoints.load_tokenizer(tmp_path)
