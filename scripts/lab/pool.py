# SPDX-License-Identifier: GPL-2.0-only
"""Jobs side by side, one for each processor, and the count of what they report.

A job is a function that returns or yields report lines: "ok NAME", "FAIL NAME" or "skip NAME".
Indented lines after a FAIL explain it.
"""
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def say(words):
    """One line for the person watching; stdout is for results."""
    print("lab: " + words, file=sys.stderr, flush=True)


def indented(lines):
    """The block below a FAIL line."""
    return ["    " + line for line in lines]


class Program(subprocess.Popen):
    """A program that a job runs.  A signal to stop ends it too."""

    started = []
    stopped = False

    def __init__(self, *args, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE} | options
        super().__init__([str(arg) for arg in args], **options)
        Program.started.append(self)
        if Program.stopped:
            self.terminate()

    def lines(self):
        """What it prints, as it comes; ends when the program has ended."""
        for line in self.stdout:
            yield line.decode("utf-8", "surrogateescape").rstrip("\n")
        self.wait()


def has_ended(program):
    """Popen would ask under a lock, which may be held by what the signal interrupts."""
    try:
        return os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return True


def stop(*_):
    """End the programs that run, give them ten seconds to clean up, and leave."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    Program.stopped = True
    started = list(Program.started)
    for program in started:
        program.terminate()
    for _ in range(100):
        if all(map(has_ended, started)):
            break
        time.sleep(0.1)
    os._exit(130)


class Pool:
    """Runs jobs and counts their verdicts."""

    def __init__(self, about=None):
        """With ABOUT, say every now and then how many of about so many tests are done."""
        processors = len(os.sched_getaffinity(0))
        self.workers = ThreadPoolExecutor(int(os.environ.get("SSDUP_JOBS") or processors))
        self.others = ThreadPoolExecutor(100)
        self.reported = []
        self.lock = threading.Lock()
        for number in SIGNALS:
            # nohup has it ignored
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, stop)
        if about is not None:
            say(f"about {about} tests")
            threading.Thread(target=self._progress, args=[about], daemon=True).start()

    def run(self, job, *args):
        """Start a job as soon as a processor is free."""
        self.workers.submit(self._report, job, args)

    def beside(self, job, *args):
        """Start a job now, in no processor's place: one that does not disturb the others."""
        self.others.submit(self._report, job, args)

    def finish(self):
        """Wait for all jobs and print the count.  True: something ran and nothing failed."""
        self.workers.shutdown()
        self.others.shutdown()
        passed, failed, skipped = map(self._those, ["ok ", "FAIL ", "skip "])
        if failed:
            print("failed:", *indented(line[5:] for line in failed), sep="\n")
        print(f"{len(passed)} passed, {len(failed)} failed" +
              (f", {len(skipped)} skipped" if skipped else ""))
        return bool(passed and not failed)

    def _those(self, verdicts):
        return [line for line in self.reported if line.startswith(verdicts)]

    def _progress(self, about):
        while True:
            time.sleep(float(os.environ.get("PROGRESS_SECONDS") or 60))
            say(f"{len(self._those(('ok ', 'FAIL ', 'skip ')))} of about {about} tests done")

    def _report(self, job, args):
        """A job that dies must not pass for one that found nothing."""
        try:
            for line in job(*args):
                self._print(line)
        except Exception:
            for line in f"FAIL {job.__name__}", *indented(traceback.format_exc().splitlines()):
                self._print(line)

    def _print(self, line):
        with self.lock:
            if not Program.stopped:
                print(line, flush=True)
                self.reported.append(line)
