"""Files are written whole or not at all."""

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file under another name and move it into place, so that no half file is ever seen."""
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        plain = 0o666 & ~_umask()
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else plain)
        Path(name).replace(target)
    except BaseException:  # Ctrl-C, too, leaves nothing behind
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
