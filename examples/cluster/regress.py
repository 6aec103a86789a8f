"""All captures of a folder over a Dask cluster, one task a capture: the report is that of `warpjit regress` on one machine.

  dask-scheduler                                  # somewhere
  dask-worker tcp://SCHEDULER:8786                # on each machine; PYTHONPATH and WARPJIT_LIBRARY as in docs/python.md
  python3 examples/cluster/regress.py tcp://SCHEDULER:8786 frames --against right --out changes

Workers read the captures and the baseline, and send their parts of the report here; a part that was lost with a worker is
made again by another one. After a kill of this program, the same command goes on with the parts that are there, unless
`--out` is another folder. Each task runs the command line tool (WARPJIT_TOOL on the workers).

Needs Debian's python3-distributed, or `pip install distributed`.
"""
import argparse
import os
import shutil
import sys

from distributed import Client, as_completed
from warpjit import regress


def render(folder, name, against):
    """A task."""
    return regress.run(folder, name, against=against)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scheduler")
    parser.add_argument("folder")
    parser.add_argument("--against", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    folder, against = os.path.abspath(options.folder), os.path.abspath(options.against)
    parts = os.path.join(options.out, "parts")
    os.makedirs(parts, exist_ok=True)

    names = regress.captures(folder, against)
    waiting = [name for name in names if not regress.Part.is_there(parts, name)]
    done = len(names) - len(waiting)
    with Client(options.scheduler) as client:
        # A worker that dies takes results with it that were not fetched yet: those tasks run again elsewhere.
        tasks = client.map(render, [folder] * len(waiting), waiting, [against] * len(waiting), pure=False, retries=3)
        # Nothing but the tasks' list refers to them, so that the cluster forgets what was fetched.
        finished = as_completed(tasks, with_results=True)
        del tasks
        for task, part in finished:
            part.write(parts)
            task.release()
            done += 1
            if done % max(1, len(names) // 10) == 0 or done == len(names):
                print(f"{done} of {len(names)} captures", file=sys.stderr, flush=True)
    code = regress.merge(parts, options.out)
    shutil.rmtree(parts)
    return code


if __name__ == "__main__":
    sys.exit(main())
