"""run.py NAME: runs the tests of that module; exit status 77 if there was nothing that could be run."""

import sys
import unittest

try:
    suite = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
except unittest.SkipTest as reason:  # of all of the module
    print(reason)
    sys.exit(77)
result = unittest.TextTestRunner(verbosity=2).run(suite)
if not result.wasSuccessful():
    sys.exit(1)
if result.testsRun == len(result.skipped):
    print(*{reason for _, reason in result.skipped}, sep="\n")
    sys.exit(77)
