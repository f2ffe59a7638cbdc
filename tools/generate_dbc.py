"""Write ``src/grouser/protocol/can/kenaf.dbc`` from `grouser.protocol.can.messages`."""

from pathlib import Path

from grouser.protocol.can import dbc

if __name__ == "__main__":
    Path(dbc.__file__).with_name("kenaf.dbc").write_text(dbc.kenaf_dbc(), encoding="utf-8")
