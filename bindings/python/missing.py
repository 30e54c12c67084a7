"""Checks whether this Python's environment can install posenc. If something is missing, says so in one line, and fails."""

import importlib.util
import os
import sys
import sysconfig

found = [
    (sys.version_info >= (3, 11), "Python 3.11 or newer"),
    (importlib.util.find_spec("pip"), "pip (python -m ensurepip)"),
    (importlib.util.find_spec("numpy"), "NumPy (python -m pip install numpy, or make it with --system-site-packages)"),
    (os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")), "Python.h (the development files of its Python)"),
]
missing = ", ".join(what for is_there, what in found if not is_there)
if missing:
    sys.exit("bindings/python/install: %s of Python %d.%d lacks %s" % (sys.prefix, *sys.version_info[:2], missing))
