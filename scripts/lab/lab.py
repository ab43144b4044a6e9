# SPDX-License-Identifier: GPL-2.0-only
"""Where things are, and how to run programs and the functions of the shell files here."""
import os
import subprocess
import sys

from pool import Program

LAB = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(LAB))
CACHE = os.environ.get("SSDUP_CACHE") or (
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) + "/dm-ssdup"
# mkfs and friends live in sbin, which a plain user's PATH may lack
os.environ["PATH"] += ":/usr/sbin:/sbin"
SOURCED = "".join(f'. "{LAB}/{name}.sh"; ' for name in ("lib", "apt", "kernel", "build"))


class Fault(Exception):
    """Something is wrong; the text says what."""


def run(*command, stderr=subprocess.STDOUT, **options):
    """Run a program: its exit status, and what it says."""
    program = Program(*command, stderr=stderr, **options)
    said = "\n".join(program.lines())
    if Program.stopped:
        sys.exit(130)
    return program.returncode, said


def passes(*command, **options):
    """What a program says that has to end well."""
    status, said = run(*command, **options)
    if status:
        raise Fault(said)
    return said


def shell(*words, **options):
    """What a function of the lab's shell files says."""
    return passes("bash", "-c", SOURCED + '"$@"', "lab", *words, **options)


def value(*words):
    """What such a function prints as its result, which comes last."""
    return last_line(shell(*words))


def last_line(text):
    """Where a program says why it gave up."""
    return text[text.rfind("\n") + 1:]


def checkout_files():
    """The files under version control, and those that could be, below TOP."""
    return sorted(shell("checkout_files", "new", stderr=None).splitlines())
