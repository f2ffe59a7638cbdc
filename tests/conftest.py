"""What all tests share: nothing is remembered in the user's own cache folder."""

import atexit
import os
import shutil
import tempfile

if "GROUSER_CACHE" not in os.environ:
    os.environ["GROUSER_CACHE"] = tempfile.mkdtemp(prefix="grouser-cache-")
    atexit.register(shutil.rmtree, os.environ["GROUSER_CACHE"], ignore_errors=True)
