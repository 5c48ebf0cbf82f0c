"""The local models ceopt can run: what they are called, what they weigh and where their weights come from.

Facts only; fetching is weights.py's work.
"""

from dataclasses import dataclass

from ceopt_tui.errors import SetupError


@dataclass(frozen=True)
class LocalModel:
    """One model. `sha256` is the digest of the GGUF file its makers publish; only that file carries its name."""

    name: str
    size_bytes: int
    sha256: str
    memory_gb: float
    hub_repository: str
    hub_file: str
    parts_list: str  # data file beside this module: hash-pinned packages that carry the same file in pieces
    licence: str = "Apache-2.0"


DEFAULT_MODEL = "local/qwen2.5-coder-0.5b"

MODELS = {
    model.name: model
    for model in (
        LocalModel(
            name=DEFAULT_MODEL,
            size_bytes=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            memory_gb=0.7,
            hub_repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            hub_file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            parts_list="weights-qwen2.5-coder-0.5b.txt",
        ),
        LocalModel(
            name="local/qwen2.5-coder-1.5b",
            size_bytes=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            memory_gb=2.1,
            hub_repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            hub_file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            parts_list="weights-qwen2.5-coder-1.5b.txt",
        ),
    )
}


def find_model(name: str) -> LocalModel:
    """The model of that name; SetupError lists the known ones."""
    model = MODELS.get(name)
    if model is None:
        raise SetupError(f"There is no local model {name!r}.", f"Known local models: {', '.join(sorted(MODELS))}.")
    return model
