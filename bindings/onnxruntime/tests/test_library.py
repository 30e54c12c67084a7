"""The library exports one function, and none of the functions of posenc that it contains."""

import ctypes
import unittest

from models import LIBRARY


class Library(unittest.TestCase):
    def test_what_it_exports(self):
        library = ctypes.CDLL(LIBRARY)
        self.assertTrue(hasattr(library, "RegisterCustomOps"))
        for name in ("posenc_rotate", "posenc_write", "posenc_status_message"):
            self.assertFalse(hasattr(library, name), name)


if __name__ == "__main__":
    unittest.main()
