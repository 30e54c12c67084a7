"""run.py NAME: runs the tests of that module; exit status 77 if there was nothing that could be run."""

import sys
import unittest

suite = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
result = unittest.TextTestRunner(verbosity=2).run(suite)
if not result.wasSuccessful():
    sys.exit(1)
if result.testsRun == len(result.skipped):
    print(*{reason for _, reason in result.skipped}, sep="\n")
    sys.exit(77)
