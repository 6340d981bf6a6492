#!/usr/bin/env python3
"""Runs the integration tests against a built lockstep, all or those of the files that are named:

    python3 tests/integration/run_all.py --lockstep build/dev/lockstep [test_crashes.py ...]

Needs Python 3.11 and nothing else. Names each skipped test with its reason and closes with the line
`suite: N passed, N failed, N skipped`; ends with 1 when a test failed or none was run.
"""
import argparse
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Tally(unittest.TextTestResult):
    """Counts what passed."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def failed(self):
        """Names; a test with several failures counts once, and so does a class whose preparation failed."""
        return {getattr(test, "test_case", test).id() for test, _ in self.failures + self.errors}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lockstep", default=os.environ.get("LOCKSTEP_BINARY"), help="the built program")
    parser.add_argument("--source", default=HERE.parents[1], help="the source tree")
    parser.add_argument("files", nargs="*", help="test files; all without")
    given = parser.parse_args()
    if not given.lockstep or not os.access(given.lockstep, os.X_OK):
        parser.error("--lockstep {} is not a program: build it first".format(given.lockstep))
    os.environ["LOCKSTEP_BINARY"] = os.path.abspath(given.lockstep)
    os.environ["LOCKSTEP_SOURCE"] = os.path.abspath(given.source)
    sys.path.insert(0, str(HERE))
    sys.dont_write_bytecode = True
    files = given.files or sorted(path.name for path in HERE.glob("test_*.py"))
    tests = unittest.TestLoader().loadTestsFromNames([pathlib.Path(name).stem for name in files])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Tally).run(tests)
    for test, reason in result.skipped:
        print("SKIPPED {}: {}".format(test.id(), reason))
    failed = result.failed()
    print("suite: {} passed, {} failed, {} skipped".format(result.passed, len(failed), len(result.skipped)))
    return 1 if failed or not result.testsRun + len(result.skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
