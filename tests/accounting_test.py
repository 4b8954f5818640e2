"""The accounting analyses against SQL: DuckDB computes the same numbers from the events alone, by another way where there is one,
on simulated jobs and on real traces. The windows of devices are cut anew from their definition: reference/device_windows.py."""

import json
import os
import random
import tempfile

import program

import device_windows

TRACES = [
    "dlrm-8rank",
    "hta/amd_trace",
    "hta/nccl_parser_config",
    "hta/triton_example",
    "kineto-2021",
    "tracelens/inference/sglang_decode/capture_traces",
    "tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
    "tracelens/inference/vllm_prefilldecode_piecewise",
]
RANDOM_RANKS = 100
WINDOW = ("rank", "capture", "device", "step")


def united(kind):
    """CTEs; the last one, `busy`, has the united time of device work of each kind (a column of launched_work) in each device's window."""
    return f"""
      before AS (
        SELECT rank, capture, device, {kind} AS kind, ts_ns, end_ns,
               max(end_ns) OVER (PARTITION BY rank, capture, device, {kind} ORDER BY ts_ns, end_ns
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
        FROM launched_work),
      pieces AS (SELECT * EXCLUDE (ts_ns, until), greatest(ts_ns, until) AS start_ns FROM before WHERE until IS NULL OR end_ns > until),
      busy AS (
        SELECT w.rank, w.capture, w.device, w.step, p.kind, sum(least(p.end_ns, w.end_ns) - greatest(p.start_ns, w.start_ns)) AS ns
        FROM device_windows w JOIN pieces p ON p.rank = w.rank AND p.capture = w.capture AND p.device = w.device
          AND p.start_ns < w.end_ns AND p.end_ns > w.start_ns GROUP BY ALL)"""


# name: the analysis, the columns that identify a row, the columns to compare, and the same from events. Durations that are
# unknown are negative in no view, they are null. What is counted of device work goes by the step of its launch (launched_work), what
# has an extent is clipped to the device's window (device_windows), and what happens on host threads to the host's (steps).
CHECKS = {
    "kernels by rank": (
        "kernels_by_rank",
        (*WINDOW, "name", "class"),
        ("count", "total_ns", "mean_ns", "min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"),
        """SELECT rank, capture, device, step, name, class, count(*) AS count, sum(dur_ns) AS total_ns, avg(dur_ns) AS mean_ns,
                  min(dur_ns) AS min_ns, quantile_cont(dur_ns, 0.5) AS p50_ns, quantile_cont(dur_ns, 0.9) AS p90_ns,
                  quantile_cont(dur_ns, 0.99) AS p99_ns, max(dur_ns) AS max_ns
           FROM launched_work WHERE dur_ns IS NOT NULL AND step IS NOT NULL GROUP BY ALL""",
    ),
    "kernel classes": (
        # A class whose work all began before the window has a row, but no begins.
        "(SELECT * FROM analysis.kernel_classes WHERE count > 0)",
        (*WINDOW, "class"),
        ("count", "total_ns"),
        """SELECT rank, capture, device, step, class, count(*) AS count, sum(dur_ns) AS total_ns
           FROM launched_work WHERE dur_ns IS NOT NULL AND step IS NOT NULL GROUP BY ALL""",
    ),
    "copies": (
        """(SELECT rank, capture, device, step, replace(direction, 'unknown', '') AS direction, sum(count) AS count,
                   sum(bytes) AS bytes, sum(total_ns) AS total_ns FROM analysis.copies GROUP BY ALL)""",
        (*WINDOW, "direction"),
        ("count", "bytes", "total_ns"),
        """SELECT rank, capture, device, step, regexp_extract(name, '^Memcpy ([A-Z]to[A-Z])', 1) AS direction, count(*) AS count,
                  sum(bytes) AS bytes, sum(dur_ns) AS total_ns
           FROM launched_work WHERE name LIKE 'Memcpy%' AND dur_ns IS NOT NULL AND step IS NOT NULL GROUP BY ALL""",
    ),
    "memsets": (
        "memsets",
        WINDOW,
        ("count", "bytes", "total_ns"),
        """SELECT rank, capture, device, step, count(*) AS count, sum(bytes) AS bytes, sum(dur_ns) AS total_ns
           FROM launched_work WHERE name LIKE 'Memset%' AND dur_ns IS NOT NULL AND step IS NOT NULL GROUP BY ALL""",
    ),
    "launches": (
        "(SELECT * FROM analysis.launches WHERE works > 0)",
        ("rank", "capture", "step", "call"),
        ("works", "delay_mean_ns", "delay_max_ns"),
        """WITH calls AS (
             SELECT l.rank, l.capture, l.step, l.name AS call, l.event, count(*) AS works,
                    greatest(0, min(k.ts_ns) - any_value(l.ts_ns + l.dur_ns)) AS delay
             FROM kernels k JOIN events l ON l.rank = k.rank AND l.capture = k.capture AND l.event = k.launch_event
             WHERE l.step IS NOT NULL AND l.dur_ns IS NOT NULL GROUP BY ALL)
           SELECT rank, capture, step, call, sum(works) AS works, avg(delay) AS delay_mean_ns, max(delay) AS delay_max_ns
           FROM calls GROUP BY ALL""",
    ),
    # The integral of the queue's length is the time that all its work waited. Where nothing waits and nothing was issued is no row; what
    # was issued in a step without a window is all that its row says.
    "queue length": (
        "queue_length",
        ("rank", "capture", "device", "stream", "step"),
        ("duration_ns", "mean", "issued"),
        """WITH waits AS (FROM launched_work WHERE call_ns < ts_ns),
                waited AS (
                  SELECT w.rank, w.capture, w.device, q.stream, w.step, w.end_ns - w.start_ns AS duration_ns,
                         sum(greatest(0, least(q.ts_ns, w.end_ns) - greatest(q.call_ns, w.start_ns))) AS ns
                  FROM device_windows w JOIN waits q ON w.rank = q.rank AND w.capture = q.capture AND w.device = q.device GROUP BY ALL),
                issues AS (SELECT rank, capture, device, stream, step, count(*) AS issued FROM waits WHERE step IS NOT NULL GROUP BY ALL)
           SELECT rank, capture, device, stream, step, duration_ns, ns / duration_ns AS mean, coalesce(issued, 0) AS issued
           FROM waited FULL JOIN issues USING (rank, capture, device, stream, step) WHERE ns > 0 OR issued > 0""",
    ),
    "stream gaps": (
        "(SELECT rank, capture, device, stream, step, sum(total_ns) AS total_ns FROM analysis.stream_gaps GROUP BY ALL)",
        ("rank", "capture", "device", "stream", "step"),
        ("total_ns",),
        """WITH before AS (
             SELECT *, max(ts_ns + dur_ns) OVER (PARTITION BY rank, capture, device, stream ORDER BY ts_ns, dur_ns DESC, event
                                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
             FROM launched_work WHERE dur_ns > 0)
           SELECT rank, capture, device, stream, step, sum(ts_ns - until) AS total_ns
           FROM before WHERE ts_ns > until AND step IS NOT NULL GROUP BY ALL""",
    ),
    "annotations": (
        "(SELECT rank, capture, step, name, count, total_ns FROM analysis.annotations WHERE side = 'host' AND name <> '(others)')",
        ("rank", "capture", "step", "name"),
        ("count", "total_ns"),
        """SELECT rank, capture, step, name, count(*) AS count, sum(dur_ns) AS total_ns FROM events
           WHERE cat = 'user_annotation' AND NOT starts_with(name, 'ProfilerStep') AND dur_ns IS NOT NULL AND step IS NOT NULL
             AND track LIKE 'pid%' GROUP BY ALL""",
    ),
    # From a launching call up its parents: the first op owns the work, every op counts it in its total, once per name.
    "ops": (
        "(SELECT name, count, kernels, device_self_ns, device_total_ns, host_self_ns, max_ns FROM analysis.ops_by_name)",
        ("name",),
        ("count", "kernels", "device_self_ns", "device_total_ns", "host_self_ns", "max_ns"),
        """WITH RECURSIVE node AS (SELECT e.rank, e.capture, e.event, e.parent, o.name AS op, o.dur_ns FROM events e
                                   LEFT JOIN (SELECT * FROM ops WHERE dur_ns IS NOT NULL) o
                                   ON o.rank = e.rank AND o.capture = e.capture AND o.event = e.event),
                work AS (SELECT rank, capture, event AS work, dur_ns AS ns, launch_event FROM kernels WHERE dur_ns IS NOT NULL),
                up AS (SELECT w.rank, w.capture, w.work, w.ns, launch_event AS at, 0 AS inner_ops FROM work w WHERE launch_event IS NOT NULL
                       UNION ALL SELECT u.rank, u.capture, u.work, u.ns, n.parent, u.inner_ops + CAST(n.op IS NOT NULL AS INT)
                       FROM up u JOIN node n ON n.rank = u.rank AND n.capture = u.capture AND n.event = u.at WHERE n.parent IS NOT NULL),
                owned AS (SELECT n.op AS name, u.rank, u.capture, u.work, any_value(u.ns) AS ns, min(u.inner_ops) = 0 AS is_own
                          FROM up u JOIN node n ON n.rank = u.rank AND n.capture = u.capture AND n.event = u.at WHERE n.op IS NOT NULL GROUP BY ALL),
                device AS (SELECT name, count(*) FILTER (is_own) AS kernels, sum(ns) FILTER (is_own) AS self_ns, sum(ns) AS total_ns
                           FROM owned GROUP BY ALL),
                around AS (SELECT rank, capture, event, dur_ns, parent AS at FROM node WHERE op IS NOT NULL AND parent IS NOT NULL
                           UNION ALL SELECT a.rank, a.capture, a.event, a.dur_ns, n.parent
                           FROM around a JOIN node n ON n.rank = a.rank AND n.capture = a.capture AND n.event = a.at
                           WHERE n.op IS NULL AND n.parent IS NOT NULL),
                inside AS (SELECT n.op AS name, sum(a.dur_ns) AS ns FROM around a
                           JOIN node n ON n.rank = a.rank AND n.capture = a.capture AND n.event = a.at WHERE n.op IS NOT NULL GROUP BY ALL)
           SELECT name, count(*) AS count, coalesce(any_value(kernels), 0) AS kernels, coalesce(any_value(self_ns), 0) AS device_self_ns,
                  coalesce(any_value(total_ns), 0) AS device_total_ns,
                  sum(o.dur_ns) - coalesce(any_value(i.ns), 0) AS host_self_ns, max(o.dur_ns) AS max_ns
           FROM ops o LEFT JOIN device d USING (name) LEFT JOIN inside i USING (name) WHERE o.dur_ns IS NOT NULL GROUP BY ALL
           UNION ALL
           SELECT '(no op)', 0, count(*), sum(ns), sum(ns), NULL, NULL FROM work
           WHERE NOT EXISTS (FROM owned o WHERE o.rank = work.rank AND o.capture = work.capture AND o.work = work.work)
           HAVING count(*) > 0""",
    ),
    # Every sequence of an op counts what its calls launched; recursion aside, that is its total.
    "kernel sequences": (
        """(SELECT op AS name, sum(device_ns) AS ns FROM analysis.kernel_sequences
            WHERE op IN (SELECT name FROM analysis.ops_by_name WHERE abs(host_total_ns - count * mean_ns) < 0.5) GROUP BY ALL)""",
        ("name",),
        ("ns",),
        "SELECT name, device_total_ns AS ns FROM analysis.ops_by_name WHERE device_total_ns > 0 AND abs(host_total_ns - count * mean_ns) < 0.5",
    ),
    "modules and stacks hold all device work": (
        """(SELECT 'modules' AS name, sum(forward_self_ns + backward_self_ns) AS ns, sum(kernels) AS kernels FROM analysis.modules
            HAVING count(*) > 0 UNION ALL
            SELECT 'stacks', sum(device_ns), sum(kernels) FROM analysis.stacks HAVING count(*) > 0)""",
        ("name",),
        ("ns", "kernels"),
        """SELECT r.name, sum(dur_ns) AS ns, count(*) AS kernels FROM kernels k,
             (SELECT DISTINCT e.rank, 'modules' AS name FROM events e WHERE cat = 'python_function' AND dur_ns IS NOT NULL
                AND starts_with(e.name, 'nn.Module: ')
              UNION ALL SELECT DISTINCT rank, 'stacks' FROM events WHERE cat = 'python_function' AND dur_ns IS NOT NULL) r
           WHERE k.rank = r.rank AND k.dur_ns IS NOT NULL GROUP BY ALL""",
    ),
    "windows of ranks": (
        "step_times",
        ("rank", "capture", "step"),
        ("start_ns", "duration_ns", "host_duration_ns", "lag_ns", "device_work", "launched_work"),
        """WITH launched AS (SELECT rank, capture, i, count(*) AS works FROM launched_work GROUP BY ALL),
                begun AS (SELECT w.rank, w.capture, w.i, count(*) AS works FROM rank_windows w JOIN launched_work k
                          ON k.rank = w.rank AND k.capture = w.capture AND k.ts_ns >= w.start_ns AND k.ts_ns < w.end_ns GROUP BY ALL)
           SELECT s.rank, s.capture, s.step, w.start_ns, w.end_ns - w.start_ns AS duration_ns, s.end_ns - s.start_ns AS host_duration_ns,
                  CASE WHEN EXISTS (FROM first_work c WHERE c.rank = s.rank AND c.capture = s.capture) THEN w.end_ns - h.end_ns END AS lag_ns,
                  coalesce(b.works, 0) AS device_work, coalesce(l.works, 0) AS launched_work
           FROM host_steps s JOIN host_ends h ON h.rank = s.rank AND h.capture = s.capture AND h.i = s.i
           LEFT JOIN rank_windows w ON w.rank = s.rank AND w.capture = s.capture AND w.i = s.i
           LEFT JOIN launched l ON l.rank = s.rank AND l.capture = s.capture AND l.i = s.i
           LEFT JOIN begun b ON b.rank = s.rank AND b.capture = s.capture AND b.i = s.i""",
    ),
    # United over the work of each kind, and clipped to the device's window.
    "windows of devices": (
        "time_breakdown",
        WINDOW,
        ("duration_ns", "compute_ns", "communication_ns", "copy_ns"),
        f"""WITH {united('work')}
            SELECT w.rank, w.capture, w.device, w.step, w.end_ns - w.start_ns AS duration_ns,
                   coalesce(sum(ns) FILTER (kind = 'compute'), 0) AS compute_ns,
                   coalesce(sum(ns) FILTER (kind = 'communication'), 0) AS communication_ns, coalesce(sum(ns) FILTER (kind = 'copy'), 0) AS copy_ns
            FROM device_windows w LEFT JOIN busy USING (rank, capture, device, step) GROUP BY ALL""",
    ),
    "busy classes": (
        "(SELECT * FROM analysis.kernel_classes WHERE busy_ns > 0)",
        (*WINDOW, "class"),
        ("busy_ns",),
        f"""WITH {united('class')}
            SELECT rank, capture, device, step, kind AS class, ns AS busy_ns FROM busy""",
    ),
    "class overlap sums to busy": (
        "(SELECT rank, capture, device, step, sum(time_ns) AS ns FROM analysis.class_overlap GROUP BY ALL)",
        WINDOW,
        ("ns",),
        """SELECT rank, capture, device, step, compute_ns + exposed_communication_ns + exposed_copy_ns AS ns
           FROM time_breakdown WHERE step IS NOT NULL AND ns > 0""",
    ),
    "overlap": (
        "overlap",
        WINDOW,
        ("communication_ns", "communication_hidden_ns", "compute_ns", "copy_ns"),
        """SELECT rank, capture, device, step, communication_ns, communication_ns - exposed_communication_ns AS
                  communication_hidden_ns, compute_ns, copy_ns FROM time_breakdown WHERE step IS NOT NULL""",
    ),
    "busy": (
        "utilisation",
        WINDOW,
        ("busy_ns",),
        """SELECT rank, capture, device, step, compute_ns + exposed_communication_ns + exposed_copy_ns AS busy_ns
           FROM time_breakdown WHERE step IS NOT NULL""",
    ),
    "phases sum to the step": (
        "(SELECT rank, capture, step, sum(duration_ns) AS ns FROM analysis.phases GROUP BY ALL)",
        ("rank", "capture", "step"),
        ("ns",),
        "SELECT rank, capture, step, end_ns - start_ns AS ns FROM steps WHERE end_ns > start_ns",
    ),
    "job breakdown": (
        "job_breakdown",
        ("part",),
        ("duration_ns",),
        "SELECT part, sum(duration_ns) AS duration_ns FROM rank_breakdown GROUP BY ALL",
    ),
    "percentiles over ranks": (
        "(SELECT key AS class, ranks, median, p95, max FROM analysis.over_ranks WHERE analysis = 'kernel_classes' AND metric = 'busy')",
        ("class",),
        ("ranks", "median", "p95", "max"),
        """WITH steps_of AS (SELECT rank, count(*) AS n FROM step_times WHERE complete GROUP BY ALL),
                per_rank AS (SELECT class, c.rank, sum(busy_ns) / any_value(coalesce(n, 1)) AS busy FROM kernel_classes c
                             LEFT JOIN steps_of s ON s.rank = c.rank
                             WHERE CASE WHEN n IS NULL THEN NOT EXISTS (FROM steps_of) ELSE step IS NOT NULL AND complete END GROUP BY ALL)
           SELECT class, count(*) AS ranks, quantile_cont(busy, 0.5) AS median, quantile_cont(busy, 0.95) AS p95, max(busy) AS max
           FROM per_rank GROUP BY ALL""",
    ),
}


def sql_of(check):
    """Rows in which both sides differ. Numbers must agree to 1e-9, and rows without a step are left out."""
    source, keys, values, expected = CHECKS[check]
    source = source if source.startswith("(") else f"analysis.{source}"
    has_steps = "step" in keys
    join = " AND ".join(f"a.{key} IS NOT DISTINCT FROM b.{key}" for key in keys)
    differs = " OR ".join(
        f"(a.{v} IS NULL) <> (b.{v} IS NULL) OR abs(a.{v} - b.{v}) > 1e-9 * greatest(1, abs(b.{v}))" for v in values
    )
    return f"""WITH {device_windows.VIEWS}
               SELECT * FROM (SELECT * FROM {source} {"WHERE step IS NOT NULL" if has_steps else ""}) a
               FULL JOIN ({expected}) b ON {join} WHERE a.{keys[0]} IS NULL OR b.{keys[0]} IS NULL OR {differs} LIMIT 3"""


def check_job(path, options):
    problems = []
    for check in CHECKS:
        out, _ = program.run("query", path, sql_of(check), "--format", "json", *options)
        rows = json.loads(out)["rows"]
        for row in rows[:2]:
            problems.append(f"{check}: {row}")
    # Sketched percentiles are nearest-rank values within 1/128.
    out, _ = program.run(
        "query",
        path,
        """
        WITH exact AS (SELECT name, class, quantile_disc(dur_ns, 0.5) AS p50, quantile_disc(dur_ns, 0.9) AS p90, quantile_disc(dur_ns, 0.99) AS p99,
                              stddev_samp(dur_ns) AS deviation
                       FROM kernels WHERE dur_ns IS NOT NULL GROUP BY ALL)
        SELECT * FROM kernels_by_name k JOIN exact e USING (name, class)
        WHERE abs(k.p50_ns - p50) > p50 / 128.0 OR abs(k.p90_ns - p90) > p90 / 128.0 OR abs(k.p99_ns - p99) > p99 / 128.0
           OR abs(stddev_ns - deviation) > 1e-6 * greatest(1, deviation)""",
        "--format",
        "json",
        *options,
    )
    problems += [f"percentiles of kernels: {row}" for row in json.loads(out)["rows"][:2]]
    return problems


class RandomRank:
    """A host that launches work of all kinds on one or two devices, step by step, with what makes windows odd: devices that lag, work that
    runs on for steps, steps without work, lost launches and lost work, launches before and behind all steps, devices that only copy.
    """

    KERNELS = [("kernel", "gemm"), ("kernel", "vectorized_elementwise_kernel"), ("kernel", "ncclDevKernel_AllReduce")]
    COPIES = [("gpu_memcpy", "Memcpy DtoD (Device -> Device)"), ("gpu_memset", "Memset (Device)")]

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.events = []
        self.free = {}  # (device, stream) -> when its last work ends
        self.works = self.COPIES if seed % 7 == 0 else self.KERNELS + self.COPIES
        self.lag = self.rng.choice((0, 0, 20, 120, 400))
        streams = (7, 20)[: self.rng.choice((1, 2))]
        self.places = [(device, stream) for device in range(self.rng.choice((1, 1, 2))) for stream in streams]
        self.t = 1000
        self.launch_some(3, 60)
        self.t += 20
        for number in range(3, 3 + self.rng.randrange(1, 7)):
            self.add_step(number)
        if self.rng.randrange(2):
            self.launch_some(3, 200)

    def add(self, category, name, place, begin, duration, args):
        self.events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": place[0],
                "tid": place[1],
                "ts": begin,
                "dur": duration,
                "args": args,
            }
        )

    def add_step(self, number):
        begin = self.t
        self.launch_some(self.rng.choice((1, 9, 9, 9, 9, 9)), 60)
        self.t += self.rng.randrange(10, 40)
        self.add("user_annotation", f"ProfilerStep#{number}", (9, 9), begin, self.t - begin, {})

    def launch_some(self, most, gap):
        for _ in range(self.rng.randrange(most)):
            self.t += self.rng.randrange(9, gap)
            self.launch()

    def launch(self):
        rng = self.rng
        device, stream = place = rng.choice(self.places)
        took = rng.randrange(1, 8)
        args = {"device": device, "stream": stream, "bytes": 1024}
        # The first work of a device has its launch.
        if rng.randrange(12) or all(device != used for used, _ in self.free):
            args["correlation"] = len(self.events) + 1
            self.add("cuda_runtime", "cudaLaunchKernel", (9, 9), self.t, took, {"correlation": args["correlation"]})
        if rng.randrange(25) == 0:
            return
        begin = max(self.free.get(place, 0), self.t + took + rng.randrange(5) + self.lag)
        duration = rng.randrange(1, 60) if rng.randrange(15) else rng.randrange(100, 700)
        self.free[place] = begin + duration
        self.add(*rng.choice(self.works), place, begin, duration, args)


def write_random_job(folder):
    os.mkdir(folder)
    for rank in range(RANDOM_RANKS):
        with open(os.path.join(folder, f"rank{rank}.json"), "w", encoding="utf-8") as file:
            json.dump(
                {
                    "baseTimeNanoseconds": 1700000000000000000,
                    "distributedInfo": {"rank": rank, "world_size": RANDOM_RANKS},
                    "traceEvents": RandomRank(rank).events,
                },
                file,
            )


def main():
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        os.mkdir(cache)
        jobs = []
        for number, options in enumerate(
            [
                ("--ranks", "3", "--steps", "3", "--events", "20000", "--slow-rank", "1"),
                ("--ranks", "1", "--steps", "2", "--events", "5000", "--seed", "5"),
            ]
        ):
            job = os.path.join(folder, f"job{number}")
            program.run("simulate", job, *options)
            jobs.append(job)
        jobs.append(os.path.join(folder, "random"))
        write_random_job(jobs[-1])
        real = [os.path.join(program.REAL_TRACES, trace) for trace in TRACES]
        jobs += [path for path in real if os.path.exists(path)]
        for job in jobs:
            problems = check_job(job, ("--cache-dir", cache))
            failed += bool(problems)
            passed += not problems
            for problem in problems:
                print(f"{job}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
