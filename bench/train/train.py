"""Fine-tune a small BERT as a cross-encoder: evidence and statement in, three logits out.

    python -m bench.train.train --base DIR --data A.jsonl B.jsonl --out DIR --minutes 50

Rows are {evidence, sentence, label, weight?}; the label ``unsupported`` trains only the margin between supported and the rest.
Every batch has one length (a multiple of 16): free shapes make a CPU run slow. The learning rate falls with the time used,
so the run ends when it was told to end, and a checkpoint is written every few minutes. Workers are processes of one thread
that update the same weights in shared memory without locks (Hogwild, Niu et al. 2011): on a machine that others use too, one
busy core then slows one worker down, while two threads of one process would wait for each other at every layer.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.multiprocessing
from tokenizers import Tokenizer
from transformers.utils import logging

from aipk_core.verify.focus import focus
from bench.train.network import WEIGHTS, Grounding, fresh, load, save

LABELS = {"supported": 0, "contradicted": 1, "not_found": 2, "unsupported": 3}
MAX_TOKENS = 128
BATCH_TOKENS = 2048
STEP = 16


@dataclass(frozen=True, slots=True)
class Example:
    ids: list[int]
    types: list[int]
    label: int
    weight: float


def read_examples(paths: list[Path], tokenizer: Tokenizer) -> list[Example]:
    """Tokenised rows; long evidence is cut as the judge cuts it."""

    def cost(texts: list[str]) -> list[int]:
        return [len(e.ids) for e in tokenizer.encode_batch(texts, add_special_tokens=False)]

    examples = []
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                statement = row["sentence"]
                room = MAX_TOKENS - 3 - len(tokenizer.encode(statement, add_special_tokens=False).ids)
                evidence = focus(row["evidence"], statement, max(room, 32), cost)
                pair = tokenizer.encode(evidence, statement)
                examples.append(Example(pair.ids, pair.type_ids, LABELS[row["label"]], float(row.get("weight", 1.0))))
    return examples


def batches(examples: list[Example], rng: random.Random) -> Iterator[list[Example]]:
    """Endless shuffled batches of one padded length each."""
    while True:
        buckets: dict[int, list[Example]] = {}
        order = list(examples)
        rng.shuffle(order)
        for example in order:
            length = -(-len(example.ids) // STEP) * STEP
            bucket = buckets.setdefault(length, [])
            bucket.append(example)
            if len(bucket) * length >= BATCH_TOKENS:
                yield buckets.pop(length)
        yield from buckets.values()


def loss_of(logits: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Cross-entropy; for label 3 the probability mass of everything but ``supported`` counts as right."""
    log_p = torch.log_softmax(logits, dim=-1)
    rest = torch.logsumexp(log_p[:, 1:], dim=-1)
    known = log_p.gather(1, labels.clamp(max=2).unsqueeze(1)).squeeze(1)
    # which kind of unsupported is a secondary question: it gets half the weight of the main margin
    typed = 0.5 * known + 0.5 * torch.where(labels == 0, known, rest)
    chosen = torch.where(labels == 3, rest, typed)
    return -(chosen * weights).sum() / weights.sum()


def work(number: int, model: Grounding, examples: list[Example], settings: argparse.Namespace) -> None:
    """One worker: its own order of the data and its own optimizer state, the common weights."""
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed + number)
    trained = [p for p in model.parameters() if p.requires_grad]
    decayed = [p for p in trained if p.dim() > 1]
    plain = [p for p in trained if p.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=settings.rate
    )
    model.train()
    begun = saved = time.monotonic()
    seen, shown = 0, 0.0
    for steps, batch in enumerate(batches(examples, random.Random(settings.seed + number)), 1):
        used = (time.monotonic() - begun) / (settings.minutes * 60)
        if used >= 1:
            break
        rate = min(1.0, steps / 30) * (settings.end_rate + (1 - settings.end_rate) * (1 - used))
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * rate
        length = -(-max(len(e.ids) for e in batch) // STEP) * STEP
        ids = torch.tensor([e.ids + [0] * (length - len(e.ids)) for e in batch])
        types = torch.tensor([e.types + [0] * (length - len(e.ids)) for e in batch])
        mask = torch.tensor([[1] * len(e.ids) + [0] * (length - len(e.ids)) for e in batch])
        labels = torch.tensor([e.label for e in batch])
        weights = torch.tensor([e.weight for e in batch])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(input_ids=ids, token_type_ids=types, attention_mask=mask)
        loss = loss_of(logits.float(), labels, weights)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seen += len(batch)
        shown = 0.98 * shown + 0.02 * loss.item()
        if steps % 25 == 0:
            speed = seen / (time.monotonic() - begun)
            cpu = seen / time.process_time()
            level = shown / (1 - 0.98**steps)
            print(
                f"worker {number} step {steps} seen {seen} loss {level:.4f} {speed:.1f} pairs/s ({cpu:.1f} of processor time) {used:.0%}",
                flush=True,
            )
        if number == 0 and time.monotonic() - saved > 300:
            save(model, settings.out)
            saved = time.monotonic()
    print(f"worker {number} done: {seen} pairs in {time.monotonic() - begun:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--base", type=Path, required=True, help="a pretrained folder, or a checkpoint of an earlier run"
    )
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=50)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--end-rate", type=float, default=0.0, help="share of the rate that is left at the end")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=17)
    settings = parser.parse_args()
    torch.manual_seed(settings.seed)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    tokenizer = Tokenizer.from_file(str(settings.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    examples = read_examples(settings.data, tokenizer)
    mean = sum(len(e.ids) for e in examples) / len(examples)
    print(f"{len(examples)} examples, {mean:.0f} tokens on average", flush=True)
    model = load(settings.base) if (settings.base / WEIGHTS).exists() else fresh(settings.base)
    model.bert.embeddings.word_embeddings.weight.requires_grad = False  # half of all weights, and none of the question
    model.share_memory()
    torch.multiprocessing.spawn(work, (model, examples, settings), nprocs=settings.workers)
    save(model, settings.out)


if __name__ == "__main__":
    main()
