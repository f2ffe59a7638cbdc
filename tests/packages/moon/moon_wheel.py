"""Build backend that writes the wheel without further packages."""

import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def build_wheel(
    folder: str, config_settings: object = None, metadata_directory: object = None
) -> str:
    """Write the wheel into ``folder``; return its name."""
    with (HERE / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    info, points = f"{stem}.dist-info", []
    for group, entries in project["entry-points"].items():
        points += [f"[{group}]", *(f"{name} = {place}" for name, place in entries.items())]
    files = {
        f"{info}/METADATA": "Metadata-Version: 2.1\n"
        f"Name: {project['name']}\nVersion: {project['version']}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "\n".join(points) + "\n",
    }
    for path in sorted((HERE / "grouser_moon").glob("*.*")):
        files[f"grouser_moon/{path.name}"] = path.read_text(encoding="utf-8")
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(Path(folder) / f"{stem}-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return f"{stem}-py3-none-any.whl"
