"""Cases that take a model to make are made once and kept, as long as their making is the same."""

from pathlib import Path
from zlib import crc32

import numpy as np
import sklearn

from tasks import Cases, Task

HERE = Path(__file__).parent
MAKERS = ("rules", "tasks", "models", "populations", "bundled")


def cases_of(task: Task) -> Cases:
    """Return the cases of a task, from where they are kept if they are."""
    if task.kind == "curve":
        return task.make()
    path = _folder() / f"{task.name.replace('/', ', ')}.npz"
    if path.exists():
        with np.load(path) as kept:
            return Cases(**{name: kept[name] for name in kept.files})
    cases = task.make()
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: value for name, value in vars(cases).items() if value is not None}
    np.savez(path, **arrays)
    return cases


def _folder() -> Path:
    texts = [(HERE / f"{name}.py").read_bytes() for name in MAKERS]
    return HERE / ".cache" / f"{crc32(b''.join(texts) + sklearn.__version__.encode()):08x}"
