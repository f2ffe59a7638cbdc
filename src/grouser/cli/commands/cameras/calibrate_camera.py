"""``grouser calibrate-camera``: photographs of a checkerboard become the camera of a world file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight
from grouser.cli.terminal import command_line, print_error, print_line, print_written
from grouser.errors import BadValue

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from grouser.sensors.imaging.cmos_calibration import LensFit

LEAST_SQUARES = 3
WORLD = """\
# {command}
name: {name}
description: Camera calibrated from {count} photographs; copy its numbers to your own robot.
terrain: [{{kind: flat}}]
robots:
  - name: robot
    kind: p2dx
    position: [0, 0]
    sensors:
      - kind: camera
        mount: body
        at: [0.25, 0, 0.25]
        camera: {camera}
"""


def calibrate_camera(
    photographs: Annotated[
        list[Path],
        typer.Argument(
            metavar="PICTURE…",
            help="Photographs of one checkerboard, tilted differently.",
            show_default=False,
        ),
    ],
    squares: Annotated[
        str, typer.Option(metavar="COLUMNSxROWS", help="Squares of the board, not inner corners.")
    ] = "9x7",
    walls: Annotated[
        list[Path] | None,
        typer.Option(
            "--wall",
            metavar="PICTURE",
            help="Photograph of an evenly lit white wall, for limb darkening; may be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="F.yaml", help="World file with the camera.")
    ] = Path("camera.yaml"),
) -> None:
    """Calibrate a camera from photographs, and write a world file that has it.

    Field of view and radial distortion come from at least three photographs of a flat
    checkerboard, whole in view; photographs without it are skipped with a note.

    For example:

    [cyan]grouser calibrate-camera board*.jpg --squares 9x7 --wall wall.jpg --out my_camera.yaml[/]
    """
    preflight.writable(out, ".yaml")
    board = _board(squares)
    pictures = [(path, _read(path)) for path in photographs]
    size = _common_size([*pictures, *((path, _read(path)) for path in walls or ())])
    fit, used = _fit(pictures, board, size)
    numbers = f"width: {size[0]}, height: {size[1]}, "
    numbers += f"fov_deg: [{fit.fov_deg[0]:.2f}, {fit.fov_deg[1]:.2f}], kappa: {fit.kappa:.4f}"
    if walls:
        numbers += f", darkening: {_darkening([_read(path) for path in walls], size, fit):.2f}"
    from grouser import files
    from grouser.world.file import parse

    text = WORLD.format(command=command_line(), name=out.stem, count=used, camera=f"{{{numbers}}}")
    parse(text, where=str(out))
    files.write_text(out, text)
    print_line(f"camera: {{{numbers}}}")
    print_line(f"{used} photographs, corners {fit.error:.2f} pixels from the fitted camera's")
    print_written(out)


def _board(squares: str) -> tuple[int, int]:
    columns, cross, rows = squares.partition("x")
    if not (cross and columns.isdecimal() and rows.isdecimal()):
        raise BadValue(f"--squares is '{squares}', must be COLUMNSxROWS, for example 9x7")
    if min(int(columns), int(rows)) < LEAST_SQUARES:
        raise BadValue(f"--squares is '{squares}', both must be at least {LEAST_SQUARES}")
    return int(columns), int(rows)


def _read(path: Path) -> npt.NDArray[np.uint8]:
    """Return a picture of a file, (height, width, 3), red first."""
    import numpy as np

    from grouser.rendering.image import opencv

    cv2 = opencv("photographs", "camera")
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        raise BadValue(f"{path}: cannot be read ({error.strerror})") from None
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if picture is None:
        raise BadValue(f"{path}: is no picture (PNG, JPEG, …)")
    return np.ascontiguousarray(picture[..., ::-1])


def _common_size(pictures: list[tuple[Path, npt.NDArray[np.uint8]]]) -> tuple[int, int]:
    """Return width and height of all pictures."""
    height, width = pictures[0][1].shape[:2]
    for path, picture in pictures:
        if picture.shape[:2] != (height, width):
            raise BadValue(
                f"{path}: has {picture.shape[1]} x {picture.shape[0]} pixels, the first picture "
                f"{width} x {height}: all must be of one camera and format"
            )
    return width, height


def _fit(
    pictures: list[tuple[Path, npt.NDArray[np.uint8]]],
    board: tuple[int, int],
    size: tuple[int, int],
) -> tuple[LensFit, int]:
    """Return the lens, and the number of photographs with the whole board."""
    from grouser.sensors.imaging.cmos_calibration import find_corners, fit_lens

    corners = []
    for path, picture in pictures:
        try:
            corners.append(find_corners(picture, board))
        except BadValue:
            print_error(f"{path}: skipped, no whole board of {board[0]} x {board[1]} squares seen")
    return fit_lens(corners, size), len(corners)


def _darkening(walls: list[npt.NDArray[np.uint8]], size: tuple[int, int], fit: LensFit) -> float:
    """Return the power of the cosine in limb darkening."""
    import numpy as np

    from grouser.sensors.imaging.cmos_calibration import fit_darkening
    from grouser.sensors.imaging.lens import Lens, Radial

    lens = Lens(width=size[0], height=size[1], fov_deg=fit.fov_deg, distortion=Radial(fit.kappa))
    return max(0.0, fit_darkening(np.stack(walls), lens).power)
