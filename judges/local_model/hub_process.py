"""Child process: downloads one public file from the model hub and tells its parent in JSON lines what came of it.

Lines: {"found": bytes} · {"file": path} · {"error": text}.
"""

from __future__ import annotations

import json
import sys

from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url

METADATA_TIMEOUT_S = 4.0


def say(**fields: object) -> None:
    """Prints one line for the parent."""
    print(json.dumps(fields), flush=True)


def main(repository: str, file: str, folder: str) -> int:
    """Fetches without an account; the exit status is 1 when the hub cannot give the file."""
    try:
        found = get_hf_file_metadata(hf_hub_url(repository, file), token=False, timeout=METADATA_TIMEOUT_S)
        say(found=found.size or 0)
        say(file=hf_hub_download(repository, file, local_dir=folder, token=False))
    except Exception as error:  # whatever the hub's client raises, the parent has other sources
        say(error=f"{type(error).__name__}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
