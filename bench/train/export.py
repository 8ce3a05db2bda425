"""Turn a trained checkpoint into what ships: int8 ONNX with the calibration folded into its last bias.

python -m bench.train.export --model DIR --tokenizer FILE --calibration calibration.jsonl --out DIR
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from transformers.utils import logging

from bench.train.network import load
from bench.train.train import MAX_TOKENS, Example, read_examples

SIZE_LIMIT = 25_000_000


def export(folder: Path, shift: float, target: Path) -> None:
    """Write int8 ONNX; ``shift`` is added to the logit of ``supported``."""
    network = load(folder, attention="eager").eval()
    with torch.no_grad():
        network.whole.bias[0] += shift
    example = torch.ones((2, 16), dtype=torch.long)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "model.onnx"
        torch.onnx.export(
            network,
            (example, example, torch.zeros_like(example)),
            str(plain),
            input_names=names,
            output_names=["logits"],
            dynamic_axes={name: {0: "batch", 1: "length"} for name in names} | {"logits": {0: "batch"}},
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(plain, target, weight_type=QuantType.QInt8, per_channel=True)
    onnx.checker.check_model(str(target))
    if target.stat().st_size > SIZE_LIMIT:
        raise SystemExit(f"{target} has {target.stat().st_size} bytes, more than the limit of {SIZE_LIMIT}")


def margins(model: Path, examples: list[Example]) -> np.ndarray:
    """log P(supported) - log P(anything else) by an ONNX model."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    out = np.zeros(len(examples))
    order = sorted(range(len(examples)), key=lambda i: len(examples[i].ids))
    for start in range(0, len(order), 32):
        part = order[start : start + 32]
        length = max(len(examples[i].ids) for i in part)
        ids = np.zeros((len(part), length), dtype=np.int64)
        types, mask = ids.copy(), ids.copy()
        for row, i in enumerate(part):
            size = len(examples[i].ids)
            ids[row, :size], types[row, :size], mask[row, :size] = examples[i].ids, examples[i].types, 1
        logits = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": types})[0]
        out[part] = logits[:, 0] - np.logaddexp(logits[:, 1], logits[:, 2])
    return out


def best_shift(scores: np.ndarray, labels: np.ndarray, sets: list[str]) -> float:
    """The one shift at which the mean balanced accuracy over the sets is best; sets of under 20 rows do not count."""
    groups = [np.array([name == wanted for name in sets]) for wanted, n in collections.Counter(sets).items() if n >= 20]
    best = (0.0, 0.0)
    for shift in np.arange(-3, 3.01, 0.05):
        said = scores + shift > 0
        value = float(np.mean([0.5 * said[g & labels].mean() + 0.5 * (~said)[g & ~labels].mean() for g in groups]))
        if value > best[0] + 1e-9:
            best = (value, float(shift))
    print(f"calibration: mean balanced accuracy {best[0]:.3f} at shift {best[1]:+.2f}")
    return best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--calibration", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shift", type=float, default=None, help="use this shift instead of the calibrated one")
    arguments = parser.parse_args()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    arguments.out.mkdir(parents=True, exist_ok=True)
    target = arguments.out / "model.onnx"
    shutil.copyfile(arguments.tokenizer, arguments.out / "tokenizer.json")
    shift = arguments.shift
    if shift is None:
        export(arguments.model, 0.0, target)
        tokenizer = Tokenizer.from_file(str(arguments.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        rows = [json.loads(line) for line in arguments.calibration.read_text(encoding="utf-8").splitlines()]
        scores = margins(target, read_examples([arguments.calibration], tokenizer))
        shift = best_shift(
            scores, np.array([row["label"] == "supported" for row in rows]), [row["set"] for row in rows]
        )
    export(arguments.model, shift, target)
    print(target, target.stat().st_size, "bytes, sha256", hashlib.sha256(target.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
