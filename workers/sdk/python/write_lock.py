"""Writes a requirements.lock: every package that some requirements need, pinned, with the sha256 of the
wheel that each given interpreter would take on this platform.

    python3 write_lock.py OUT --python python3.11 --python python3.12 "numpy==2.4.6" "keras==3.15.1"

The versions are those that the first interpreter's pip resolves; the others must accept the same ones. Only
wheels are taken, so that an install compiles nothing. Each interpreter needs pip 23 or newer.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def resolved(python, requirements, constraints):
    """{name: (version, sha256)} as the interpreter's own pip resolves the requirements."""
    with tempfile.TemporaryDirectory() as folder:
        report, limits = os.path.join(folder, "report.json"), os.path.join(folder, "constraints.txt")
        with open(limits, "w") as file:
            file.writelines("{}=={}\n".format(name, version) for name, version in sorted(constraints.items()))
        environment = {name: text for name, text in os.environ.items() if name != "PIP_FIND_LINKS"}
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--only-binary",
             ":all:", "--constraint", limits, "--report", report] + requirements,
            check=True, env=environment)
        with open(report) as file:
            items = json.load(file)["install"]
    return {item["metadata"]["name"].lower().replace("_", "-"): (
        item["metadata"]["version"], item["download_info"]["archive_info"]["hashes"]["sha256"])
        for item in items}


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("out")
    options.add_argument("requirements", nargs="+")
    options.add_argument("--python", action="append", default=[], help="an interpreter to lock for; repeat")
    given = options.parse_args()
    versions, hashes = {}, {}
    for python in given.python or [sys.executable]:
        for name, (version, digest) in resolved(python, given.requirements, versions).items():
            versions.setdefault(name, version)
            hashes.setdefault(name, set()).add(digest)
    with open(given.out + ".part", "w") as file:
        wanted = " ".join(given.requirements)
        file.write("# Made by workers/sdk/python/write_lock.py for: {}\n".format(wanted))
        for name in sorted(versions):
            lines = ["{}=={}".format(name, versions[name])]
            lines += ["    --hash=sha256:" + digest for digest in sorted(hashes[name])]
            file.write(" \\\n".join(lines) + "\n")
    os.replace(given.out + ".part", given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
