"""Meshes of robots as STL files, which a robot description names by address.

The files of rosbridge are on its own port. Viewers cannot show a token, so the path of a file is
derived from a random key: only clients that may read the description have it. Without such a
port the files are in a temporary folder.
"""

from __future__ import annotations

import hmac
import secrets
import socket
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import mujoco

from grouser.files import write_bytes
from grouser.world.meshes.mesh_files import stl_bytes

FOLDER = "/meshes/"
"""Beginning of the paths of files."""


def mesh_stl(model: mujoco.MjModel, mesh: int) -> bytes:
    """Return a mesh of a model as a binary STL file, in the frame of its geoms, m."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + count]
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    return stl_bytes(vertices[model.mesh_face[first : first + count]])


class MeshFiles:
    """Files by path, served by a port."""

    def __init__(self) -> None:
        self.base = ""
        """Address of the port, such as ``http://127.0.0.1:9090``."""
        self._key = secrets.token_bytes()
        self._files: dict[str, bytes] = {}

    def opened(self, address: str, port: int, *, tls: bool) -> None:
        """Note the address of the port; one that stands for all is replaced by the host's name."""
        parsed = ip_address(address.partition("%")[0]) if address != "localhost" else None
        host = socket.gethostname() if parsed and parsed.is_unspecified else address
        shown = f"[{host}]" if ":" in host else host
        self.base = f"{'https' if tls else 'http'}://{shown}:{port}"

    def address(self, model: mujoco.MjModel, mesh: int) -> str:
        """Return the address of a mesh."""
        content = mesh_stl(model, mesh)
        name = hmac.digest(self._key, content, "sha256").hex()
        return self._store(f"{FOLDER}{name}.stl", content)

    def find(self, path: str) -> bytes | None:
        """Return the content of a file; None: there is no such file."""
        return self._files.get(path)

    def close(self) -> None:
        """Remove the files."""
        self._files.clear()

    def _store(self, path: str, content: bytes) -> str:
        self._files[path] = content
        return f"{self.base}{path}"


class MeshFolder(MeshFiles):
    """Files in a temporary folder, for programs on the same machine."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory(prefix="grouser-meshes-")

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()

    def _store(self, path: str, content: bytes) -> str:
        file = Path(self._folder.name) / path.removeprefix(FOLDER)
        if not file.exists():
            write_bytes(file, content)
        return file.as_uri()
