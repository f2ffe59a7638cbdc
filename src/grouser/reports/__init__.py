"""Tables, plots and pages: the one look of everything we show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.reports.film_strip import picture_strip
    from grouser.reports.page import Card, Page
    from grouser.reports.report import Report
    from grouser.reports.table import Column, Row, Table

_PLACES = {
    "Card": "grouser.reports.page",
    "Column": "grouser.reports.table",
    "Page": "grouser.reports.page",
    "Report": "grouser.reports.report",
    "Row": "grouser.reports.table",
    "Table": "grouser.reports.table",
    "picture_strip": "grouser.reports.film_strip",
}

__all__ = [
    "Card",
    "Column",
    "Page",
    "Report",
    "Row",
    "Table",
    "picture_strip",
]


__getattr__ = lazily(__name__, _PLACES)
