from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image as Pillow

from grouser.errors import BadValue
from grouser.reports.film_strip import picture_strip
from grouser.reports.report import Report
from grouser.reports.rules import below
from grouser.reports.table import Row, Table

BELOW = below("<2>")
TABLE = Table(
    "e_table1",
    "A & B, Table I",
    "Is 1 < 2?",
    (
        Row({"x": 1}, {"real": "S", "simulated": "F"}, 1.5, BELOW.judge(2, 1.5)),
        Row({"x": 2}, {"real": "<i>", "simulated": "F"}, 2.5, BELOW.judge(2, 2.5), 'not "so"'),
    ),
    {"rate_hz": 3.0},
    ("A <note>.",),
)
IMAGE = np.full((20, 30, 3), (10, 20, 200), np.uint8)


def full_report(folder: Path) -> str:
    report = Report(TABLE)
    report.add_text("## Why\n\nIt is **so** in `a<b>`.\n\n- one\n- two")
    report.add_picture(IMAGE, 'a "blue" picture')
    figure = Figure()
    figure.subplots().plot([0, 1])
    report.add_plot(figure, "a plot")
    (folder / "v.mp4").write_bytes(b"not really a video")
    report.add_video(folder / "v.mp4", "a video")
    report.add_rows("More <rows>", ["name", "value"], [("a&b", 0.123456)])
    path = report.write(folder / "out")
    assert path == folder / "out" / "index.html"
    return path.read_text(encoding="utf-8")


def test_report_is_self_contained(tmp_path: Path) -> None:
    page = full_report(tmp_path)
    sources = re.findall(r'src="([^"]*)"', page)
    assert len(sources) == 3
    assert all(source.startswith(("data:image/png;", "data:video/mp4;")) for source in sources)
    text = re.sub(r'src="data:[^"]*"', "", page)
    for foreign in ("http", "src=", "href", "url(", "@import", "<script", "<link"):
        assert foreign not in text
    first = Pillow.open(io.BytesIO(base64.b64decode(sources[0].split(",")[1])))
    np.testing.assert_array_equal(np.asarray(first), IMAGE)


def test_text_is_escaped_and_marked_up(tmp_path: Path) -> None:
    page = full_report(tmp_path)
    assert "<title>Is 1 &lt; 2?</title>" in page
    assert "A &amp; B, Table I" in page
    assert "&lt;i&gt;" in page
    assert "not &quot;so&quot;" in page
    assert "A &lt;note&gt;." in page
    assert "<h2>Why</h2>" in page
    assert "<strong>so</strong> in <code>a&lt;b&gt;</code>" in page
    assert "<ul><li>one</li><li>two</li></ul>" in page
    assert 'alt="a &quot;blue&quot; picture"' in page
    assert "<h2>More &lt;rows&gt;</h2>" in page
    assert "<td>a&amp;b</td><td>0.1235</td>" in page


def test_disagreements_are_highlighted(tmp_path: Path) -> None:
    page = full_report(tmp_path)
    assert page.count('<tr class="bad">') == 1
    assert page.count("DISAGREES") == 1
    assert "1 of 2 judged rows agree" in page
    assert page.count('<td class="note">below &lt;2&gt;</td>') == 2
    assert "Agrees: the rule beside it holds" in page
    assert '<th class="group" colspan="2">Paper</th>' in page


def test_equal_results_give_equal_bytes(tmp_path: Path) -> None:
    assert full_report(tmp_path) == full_report(tmp_path)


def test_missing_video_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"gone\.mp4: cannot be read"):
        Report(TABLE).add_video(tmp_path / "gone.mp4")


def test_strip_arranges_pictures_in_reading_order() -> None:
    frames = [np.full((10, 20, 3), shade, np.uint8) for shade in (10, 20, 30)]
    row = picture_strip(frames)
    assert row.shape == (10, 3 * 20 + 2 * 4, 3)
    assert [row[5, 10, 0], row[5, 34, 0], row[5, 58, 0]] == [10, 20, 30]
    assert (row[:, 20:24] == 255).all()
    grid = picture_strip(frames, columns=2)
    assert grid.shape == (24, 44, 3)
    assert grid[20, 10, 0] == 30
    assert (grid[14:, 24:] == 255).all()


def test_strip_captions_fit_under_their_picture() -> None:
    frames = [np.zeros((100, 80, 3), np.uint8)] * 2
    sheet = picture_strip(
        frames, captions=["45° up", "a caption that is far too long for its picture"]
    )
    assert sheet.shape == (116, 164, 3)
    band = sheet[100:].min(axis=(0, 2)) < 128  # columns with ink
    assert band[:80].any()
    assert band[84:].any()
    assert not band[80:84].any()


def test_invalid_strips_are_rejected() -> None:
    one, two = np.zeros((4, 4, 3), np.uint8), np.zeros((4, 5, 3), np.uint8)
    with pytest.raises(BadValue, match="of one size"):
        picture_strip([one, two])
    with pytest.raises(BadValue, match="none at all"):
        picture_strip([])
    with pytest.raises(BadValue, match="1 captions for 2 pictures"):
        picture_strip([one, one], captions=["a"])
    with pytest.raises(BadValue, match="0 columns"):
        picture_strip([one], columns=0)
