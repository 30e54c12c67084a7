"""run.py NAME: runs the tests of a module. The exit status is 77 if all tests were skipped."""

import sys
import unittest

try:
    suite = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
except unittest.SkipTest as reason:  # the whole module is skipped
    print(reason)
    sys.exit(77)
result = unittest.TextTestRunner(verbosity=2).run(suite)
if not result.wasSuccessful():
    sys.exit(1)
if result.testsRun == len(result.skipped):
    print(*{reason for _, reason in result.skipped}, sep="\n")
    sys.exit(77)
