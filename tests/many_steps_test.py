"""Recordings of very many steps: memory follows the file, the tables hold the first 100,000 steps, and that is said."""

import os
import resource
import tempfile

import program

MOST_STEPS = 100_000
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)


def write(folder, lines):
    os.makedirs(folder)
    path = os.path.join(folder, "rank0.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"distributedInfo":{"rank":0,"world_size":1},"traceEvents":[\n')
        file.writelines(line + ",\n" for line in lines)
        file.write(
            '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":100,"args":{"stream":7,"device":0}}\n]}'
        )
    return os.path.getsize(path)


def peak_of(*arguments):
    """Most memory that the program took, in bytes; the highest of all that ran so far, so ask the smaller first."""
    program.run(*arguments, "--no-cache")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def main():
    with tempfile.TemporaryDirectory() as work:
        marks = '{"ph":"%s","cat":"user_annotation","name":"ProfilerStep#%d","pid":1,"tid":1,"ts":%d%s}'
        begins = os.path.join(work, "begins without ends")
        size = write(begins, (marks % ("B", i, 10 * i, "") for i in range(200_000)))
        peak = peak_of("analyze", begins)
        expect(f"200,000 begins without ends take {peak / size:.1f} x the file", peak < 16 * size)

        steps = os.path.join(work, "a million steps")
        size = write(steps, (marks % ("X", i, 10 * i, ',"dur":9') for i in range(1_000_000)))
        peak = peak_of("analyze", steps)
        expect(f"a million steps take {peak / size:.1f} x the file", peak < 6 * size)
        rows = program.table("step_times", steps)
        expect(f"{len(rows)} steps have rows", len(rows) == MOST_STEPS)
        said = [row for row in program.table("data_quality", steps) if row["code"] == "too_large"]
        expect(f"data_quality says {said}", len(said) == 1 and said[0]["count"] == 1_000_000 - MOST_STEPS)
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
