"""Runs unittest tests so that tools/summarise_tests can count them one by one.

    python3 tests/suite.py FOLDER      every test_*.py in it
"""
import sys
import unittest


class Tally(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"SKIPPED {test.id()}: {reason}")


def run(tests, skipped_before=()):
    """Exit code. `skipped_before`: (name, reason) of what could not even be loaded."""
    for name, reason in skipped_before:
        print(f"SKIPPED {name}: {reason}")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Tally).run(tests)
    bad = len({getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors})
    skipped = len(result.skipped)
    print(f"suite: {result.testsRun - bad - skipped} passed, {bad} failed, {skipped + len(skipped_before)} skipped")
    return 1 if bad or not result.testsRun else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(run(unittest.defaultTestLoader.discover(sys.argv[1])))
