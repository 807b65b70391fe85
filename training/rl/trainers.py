"""What all trainers share, over transformers' Trainer.

From the library: optimiser, accumulation, clipping, resume, mixed precision,
FSDP and DeepSpeed. Ours: the batches (bucketed by length), the losses, the metrics.

Not stated in the paper (arXiv 2411.02337) and chosen here: AdamW without weight decay,
a mean over steps rather than over episodes, an optimiser of its own for each phase.
"""

from __future__ import annotations

import abc
import math
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypedDict, TypeVar

import torch
from torch.utils.data import Sampler
from transformers import TrainerCallback, TrainingArguments

from training.rl import metric_names as names
from training.rl.batching import Batch, collate
from training.rl.checkpoints import uses_bfloat16
from training.rl.encoding import Example
from training.rl.process import Diverged
from training.rl.resume import SafeCheckpoints
from training.rl.scale.parallel import count_processes, pad_to_multiple
from training.rl.scale.sharding import is_sharded, sharding_options
from training.rl.training_data import TrainingDataError
from training.rl.webrl_config import WebRLConfig


class HasExample(Protocol):
    """What every row of a trainer has."""

    @property
    def example(self) -> Example:
        """What the model reads."""
        ...


class Inputs(TypedDict):
    """What the collator gives for a micro-batch of B rows of at most T tokens."""

    index: torch.Tensor  # (B,)
    counts: torch.Tensor  # (B,): 1 for a row, 0 for padding of the last step
    ids: torch.Tensor  # (B, T)
    lengths: torch.Tensor  # (B,)
    prompt_lengths: torch.Tensor  # (B,)


Model = TypeVar("Model")
Row = TypeVar("Row", bound=HasExample)


class BucketedSampler(Sampler[int]):
    """A shuffled epoch whose optimiser steps are sorted by length inside.

    With several processes each step is padded so that all get equally many
    micro-batches. Padding does not count: the batch is the same for any number of them.
    """

    def __init__(
        self, lengths: Sequence[int], batch_size: int, seed: int, share: int = 1
    ) -> None:
        """Remember the lengths; `set_epoch` changes the order.

        Args:
            lengths: Tokens of each row.
            batch_size: Rows of an optimiser step.
            seed: Of the order.
            share: Rows of one micro-batch of all processes together; 1 pads nothing.
        """
        self._lengths, self._batch_size, self._seed = lengths, batch_size, seed
        self._epoch, self._share = 0, share

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose order `__iter__` gives."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[int]:
        """Positions of the epoch, the same for the same seed and epoch."""
        order = list(range(len(self._lengths)))
        # A string is hashed alike in every process; Random takes no pair of numbers.
        random.Random(f"{self._seed}/{self._epoch}").shuffle(order)
        for start in range(0, len(order), self._batch_size):
            chunk = order[start : start + self._batch_size]
            # Which rows share an optimiser step stays random. Only their order inside
            # is by length, and the step's sum does not depend on it.
            ordered = sorted(chunk, key=lambda i: self._lengths[i])
            yield from pad_to_multiple(ordered, self._share, len(self._lengths))

    def __len__(self) -> int:
        """Positions in an epoch, padding included."""
        whole, rest = divmod(len(self._lengths), self._batch_size)
        padded = rest + -rest % self._share
        return whole * self._batch_size + padded


class RowTrainer(SafeCheckpoints, abc.ABC, Generic[Model, Row]):
    """What the trainers share: rows in, batches out, metrics per optimiser step."""

    # `compute_loss` divides by the rows of the optimiser step; the library must not
    # divide by the number of micro-batches again.
    loss_is_scaled_for_ga = True
    # The library logs the norm before clipping. Only one trainer of a phase may report
    # it: a metric has one number at each step.
    reports_gradient_norm = False
    # What to lower if the update diverges.
    learning_rate_setting = "learning_rate"

    def __init__(
        self,
        model: Model,
        rows: Sequence[Row],
        *,
        args: TrainingArguments,
        config: WebRLConfig,
        pad_id: int,
        seed: int,
        report: Callable[[str, int, float], None],
        callbacks: Sequence[TrainerCallback] = (),
    ) -> None:
        """Bind rows and a `report(name, step, value)` function."""
        self.rows, self.config, self.pad_id = rows, config, pad_id
        self.row_seed, self.report = seed, report
        self.collected: dict[str, list[float]] = {}
        self._order: BucketedSampler | None = None
        super().__init__(
            model=model,
            args=args,
            # Every row occurs twice: the second is padding, which does not count.
            train_dataset=list(range(2 * len(rows))),
            data_collator=self._collate,
            callbacks=list(callbacks),
        )
        found = self.accelerator.num_processes
        if found != count_processes():
            raise TrainingDataError(
                f"{count_processes()} processes were started, but {found} train "
                "together: see docs/large_models.md on launching."
            )

    def _get_train_sampler(self, train_dataset: object = None) -> Sampler[int]:
        lengths = [len(row.example.ids) for row in self.rows]
        processes = count_processes()
        share = self.config.micro_batch_size * processes if processes > 1 else 1
        batch_size = self.config.batch_size
        self._order = BucketedSampler(lengths, batch_size, self.row_seed, share)
        return self._order

    def _run_epoch(self, *given: Any, epoch: int, **more: Any) -> Any:
        """Choose the epoch's order, also where one is resumed in its middle.

        With several processes that wraps the sampler three times, and the library
        reaches only the second: it would repeat the first epoch's order.
        """
        if self._order is not None:
            self._order.set_epoch(epoch)
        return super()._run_epoch(*given, epoch=epoch, **more)

    def _collate(self, index: list[int]) -> Inputs:
        positions = [i % len(self.rows) for i in index]
        examples = [self.rows[i].example for i in positions]
        batch = collate(examples, range(len(examples)), pad_id=self.pad_id)
        return {
            "index": torch.tensor(positions),
            "counts": torch.tensor([float(i < len(self.rows)) for i in index]),
            "ids": batch.ids,
            "lengths": batch.lengths,
            "prompt_lengths": batch.prompt_lengths,
        }

    def _get_num_items_in_batch(
        self, batch_samples: list[Inputs], device: torch.device
    ) -> torch.Tensor:
        """Rows of one optimiser step; the library counts labels, which we lack."""
        rows = torch.stack([batch["counts"].sum() for batch in batch_samples]).sum()
        total = self.accelerator.reduce(rows.to(device), reduction="sum")
        # Gradients are averaged over the P processes: sum(loss) / total is
        # mean(loss / n) where n = total / P.
        mean: torch.Tensor = total / self.accelerator.num_processes
        return mean

    def compute_loss(
        self,
        model: Model,
        inputs: Inputs,
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | float = 1.0,
    ) -> torch.Tensor:
        """Loss of a micro-batch, as its share of the optimiser step's mean.

        `num_items_in_batch` is the rows of the optimiser step, which are fewer in an
        epoch's last.
        """
        batch = to_batch(inputs)
        self._counts = inputs["counts"].bool()  # (B,)
        rows = [self.rows[i] for i in batch.index]
        losses = self.row_losses(model, batch, rows)  # (B,)
        # Sum over the micro-batch, mean over the optimiser step; ().
        loss: torch.Tensor = losses[self._counts].sum() / num_items_in_batch
        return loss

    @abc.abstractmethod
    def row_losses(self, model: Model, batch: Batch, rows: list[Row]) -> torch.Tensor:
        """Return the loss of each row, (B,), and collect the metrics about them."""

    def collect(
        self, name: str, values: torch.Tensor, is_known: torch.Tensor | None = None
    ) -> None:
        """Keep values, (B,), for the mean that `log` reports; only the known ones."""
        counts = self._counts if is_known is None else self._counts & is_known  # (B,)
        counted = values.detach().float()[counts]
        self.collected.setdefault(name, []).extend(counted.tolist())

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Report the means collected since the last optimiser step.

        Raises:
            Diverged: The step's gradient is not finite, and neither are the weights.
        """
        step = self.state.global_step
        if "grad_norm" in logs:
            self._check_norm(float(logs["grad_norm"]))
            if self.reports_gradient_norm:
                self.report(names.GRADIENT_NORM, step, float(logs["grad_norm"]))
        means = self._take_means()
        for name, mean in means.items():
            self.report(name, step, mean)
            self.watch(name, mean)
        # Trackers get both what the library logs and what we measure.
        super().log(logs | means, start_time)

    def _check_norm(self, norm: float) -> None:
        # Before a checkpoint of the step is saved, and alike in all processes.
        if not math.isfinite(norm):
            raise Diverged(
                f"The gradient of optimiser step {self.state.global_step} is not "
                f"finite ({norm}): the update diverged. Lower "
                f"{self.learning_rate_setting}, or start from other weights if these "
                "are not finite."
            )

    def watch(self, name: str, mean: float) -> None:
        """React to a mean; by default nothing happens."""

    def whole_weights(self) -> dict[str, torch.Tensor] | None:
        """Return the trained weights, of which each process may hold only a share.

        None if one process trained: the model itself has them.
        """
        if count_processes() == 1:
            return None
        state: dict[str, torch.Tensor] = self.accelerator.get_state_dict(
            self.model_wrapped
        )
        return state

    def _take_means(self) -> dict[str, float]:
        """Means over the rows of all processes since the last call."""
        collected, self.collected = self.collected, {}
        # Sum and count of each of M metrics, (M, 2); float64 keeps counts exact.
        totals = torch.tensor(
            [[sum(values), float(len(values))] for values in collected.values()],
            dtype=torch.float64,
            device=self.args.device,
        ).reshape(-1, 2)
        sums, counts = self.accelerator.reduce(totals, reduction="sum").T.tolist()
        return {
            name: total / count
            for name, total, count in zip(collected, sums, counts, strict=True)
            if count
        }


def count_micro_batches(config: WebRLConfig) -> int:
    """Return each process's passes in one optimiser step; all share the batch.

    Raises:
        TrainingDataError: The batch cannot be divided evenly.
    """
    share = config.micro_batch_size * count_processes()
    if config.batch_size % share:
        raise TrainingDataError(
            f"batch_size {config.batch_size} is no multiple of micro_batch_size times "
            f"the processes, {share}."
        )
    return config.batch_size // share


def to_batch(inputs: Inputs) -> Batch:
    """Make a batch again of the collator's tensors, on their present device."""
    return Batch(
        index=inputs["index"].tolist(),
        ids=inputs["ids"],
        lengths=inputs["lengths"],
        prompt_lengths=inputs["prompt_lengths"],
    )


def training_arguments(
    directory: Path,
    config: WebRLConfig,
    *,
    learning_rate: float,
    epochs: int,
    seed: int,
    schedule: str = "constant",
) -> TrainingArguments:
    """Clipped gradients, AdamW; nothing is sent anywhere."""
    on_gpu = torch.cuda.is_available()
    backend = "nccl" if on_gpu else "gloo"
    # Only autocast: weights and AdamW's moments stay float32.
    is_bfloat16 = uses_bfloat16(config.precision)
    arguments = TrainingArguments(
        output_dir=str(directory),
        learning_rate=learning_rate,
        lr_scheduler_type=schedule,
        num_train_epochs=epochs,
        per_device_train_batch_size=config.micro_batch_size,
        gradient_accumulation_steps=count_micro_batches(config),
        activation_checkpointing=config.gradient_checkpointing,
        activation_checkpointing_kwargs={"use_reentrant": False},
        max_grad_norm=config.max_gradient_norm,
        # Decay pulls weights to 0, not to pi_ref: A = 0 would not leave pi as it is.
        weight_decay=0.0,
        seed=seed % 2**32,  # numpy takes 32 bits
        bf16=is_bfloat16,
        use_cpu=not on_gpu,
        ddp_backend=backend if count_processes() > 1 else None,
        logging_strategy="steps",
        logging_steps=1,
        save_strategy="no",  # a callback saves by the clock
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,  # the rows are numbers, not columns
        dataloader_num_workers=0,  # the rows are encoded and in memory
        dataloader_pin_memory=on_gpu,
        label_names=[],  # evaluation is not the library's
    )
    # Else the launcher's configuration decides where the run's says float32.
    arguments.mixed_precision = "bf16" if is_bfloat16 else "no"
    if is_sharded():
        arguments.fsdp_plugin_args = sharding_options(is_bfloat16)
        # Else each process keeps the gradients of all weights until the step's last
        # pass: 4 bytes a weight that are not shared out.
        once_a_pass = {"sync_each_batch": True}
        arguments.accelerator_config.gradient_accumulation_kwargs = once_a_pass
    if count_processes() == 1 and arguments.n_gpu > 1:
        # Else the library splits each batch among all GPUs, which it also multiplies.
        arguments._n_gpu = 1
    return arguments
