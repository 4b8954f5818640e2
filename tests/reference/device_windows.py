"""The windows of devices and of ranks, in SQL over the views of events, kernels and host steps.

Written from the definition (src/facts/device_steps.h says it in words), not from the program's code, which shares nothing with it:

    C(n) = latest end of the kernels that the host launched before its step n ended; step n of a device is [C(n-1), C(n))

`VIEWS` goes behind WITH. `i` counts the steps of a recording from 0; -1 is what was launched before the first, and their number what
was launched behind the last; `step` is null for both. It gives

    launched_work    a row per kernel, copy and memset: rank, capture, device, stream, event, ts_ns, dur_ns, end_ns, name, class, work,
                     bytes, call_ns and returned_ns of its call (null without), i, step: of its launch
    device_windows   a row per device and step that took time: rank, capture, device, i, step, start_ns, end_ns
    rank_windows     a row per rank and step that took time on any device: rank, capture, i, step, start_ns, end_ns
    host_ends        a row per rank and step: rank, capture, i, end_ns, where the host is through with it
"""

# A recorded launch whose work began later than this after its return waited for something that was not recorded.
LAUNCH_LIMIT_NS = 100_000

VIEWS = f"""
  host_steps AS (SELECT *, row_number() OVER (PARTITION BY rank, capture ORDER BY start_ns) - 1 AS i FROM steps),
  plain_work AS (
    SELECT k.* EXCLUDE (step), k.ts_ns + coalesce(k.dur_ns, 0) AS end_ns, l.ts_ns AS call_ns, l.ts_ns + coalesce(l.dur_ns, 0) AS returned_ns,
           e.cat NOT ILIKE '%memcpy%' AND e.cat NOT ILIKE '%memset%' AS is_kernel,
           bool_or(l.ts_ns IS NOT NULL) OVER of_device AS has_launches, bool_or(is_kernel) OVER of_device AS has_kernels
    FROM kernels k
    JOIN events e ON e.rank = k.rank AND e.capture = k.capture AND e.event = k.event
    LEFT JOIN events l ON l.rank = k.rank AND l.capture = k.capture AND l.event = k.launch_event
    WINDOW of_device AS (PARTITION BY k.rank, k.capture, k.device)),
  -- Where nothing of a device has a launch, work belongs to the host's step in which it begins.
  called_work AS (SELECT *, CASE WHEN has_launches THEN call_ns ELSE ts_ns END AS belongs_ns FROM plain_work),
  stepped_work AS (
    SELECT w.*, CASE WHEN belongs_ns IS NULL THEN NULL WHEN s.i IS NULL THEN -1 WHEN belongs_ns < s.end_ns THEN s.i ELSE s.i + 1 END AS own_i
    FROM called_work w ASOF LEFT JOIN host_steps s ON s.rank = w.rank AND s.capture = w.capture AND s.start_ns <= w.belongs_ns),
  -- Work without a launch goes with the last before it that has one: of its stream, else of its device.
  numbered_work AS (
    SELECT * EXCLUDE (own_i), coalesce(last_value(own_i IGNORE NULLS) OVER (PARTITION BY rank, capture, device, stream {{order}}),
                                       last_value(own_i IGNORE NULLS) OVER (PARTITION BY rank, capture, device {{order}}), -1) AS i
    FROM stepped_work),
  launched_work AS (
    SELECT w.*, s.step FROM numbered_work w LEFT JOIN host_steps s ON s.rank = w.rank AND s.capture = w.capture AND s.i = w.i),
  deciding_work AS (FROM launched_work WHERE is_kernel OR NOT has_kernels),
  -- The stream of most of that work, then of the longest.
  main_streams AS (
    SELECT rank, capture, device, arg_min(stream, (-works, -work_ns, stream)) AS stream
    FROM (SELECT rank, capture, device, stream, count(*) AS works, sum(end_ns - ts_ns) AS work_ns FROM deciding_work GROUP BY ALL)
    GROUP BY rank, capture, device),
  -- First begin there of what was launched two steps later, or still later where that step launched nothing.
  later_begins AS (
    SELECT e.rank, e.capture, e.device, e.i, min(l.ts_ns) AS first_ns
    FROM (SELECT DISTINCT rank, capture, device, i FROM deciding_work) e
    JOIN main_streams m ON m.rank = e.rank AND m.capture = e.capture AND m.device = e.device
    JOIN deciding_work l ON l.rank = e.rank AND l.capture = e.capture AND l.device = e.device AND l.stream = m.stream AND l.i >= e.i + 2
    GROUP BY ALL),
  -- Without work that still runs then.
  ends AS (
    SELECT d.rank, d.capture, d.device, d.i, max(d.end_ns) FILTER (f.first_ns IS NULL OR d.end_ns <= f.first_ns) AS end_ns
    FROM deciding_work d LEFT JOIN later_begins f
    ON f.rank = d.rank AND f.capture = d.capture AND f.device = d.device AND f.i = d.i GROUP BY ALL),
  first_work AS (
    SELECT rank, capture, device,
           arg_min_null(CASE WHEN ts_ns - returned_ns > {LAUNCH_LIMIT_NS} THEN ts_ns END, (ts_ns, -end_ns, event)) AS unseen_until_ns
    FROM launched_work WHERE has_launches GROUP BY ALL),
  -- C(-1), and behind it the ends of all steps.
  cuts AS (
    SELECT f.rank, f.capture, f.device, -1 AS i, greatest(s.start_ns, e.end_ns, f.unseen_until_ns) AS end_ns
    FROM first_work f JOIN host_steps s ON s.rank = f.rank AND s.capture = f.capture AND s.i = 0
    LEFT JOIN ends e ON e.rank = f.rank AND e.capture = f.capture AND e.device = f.device AND e.i = -1
    UNION ALL
    SELECT e.rank, e.capture, e.device, e.i, e.end_ns
    FROM ends e JOIN host_steps s ON s.rank = e.rank AND s.capture = e.capture AND s.i = e.i
    JOIN first_work f ON f.rank = e.rank AND f.capture = e.capture AND f.device = e.device),
  device_cuts AS (
    SELECT rank, capture, device, i, max(end_ns) OVER (PARTITION BY rank, capture, device ORDER BY i) AS end_ns FROM cuts),
  device_windows AS (
    SELECT w.rank, w.capture, w.device, w.i, s.step, w.start_ns, w.end_ns
    FROM (SELECT *, lag(end_ns) OVER (PARTITION BY rank, capture, device ORDER BY i) AS start_ns FROM device_cuts) w
    JOIN host_steps s ON s.rank = w.rank AND s.capture = w.capture AND s.i = w.i WHERE w.end_ns > w.start_ns
    UNION ALL
    SELECT DISTINCT w.rank, w.capture, w.device, s.i, s.step, s.start_ns, s.end_ns
    FROM launched_work w JOIN host_steps s ON s.rank = w.rank AND s.capture = w.capture WHERE NOT w.has_launches),
  -- A rank's step ends with its latest device, and begins where the one before it ended; the first with the last of the devices that did
  -- something of it. Without a device that has launches, the host's.
  rank_ends AS (
    SELECT rank, capture, i, any_value(step) AS step, max(start_ns) AS latest_start_ns, max(max(end_ns)) OVER so_far AS end_ns
    FROM device_windows SEMI JOIN first_work USING (rank, capture, device) GROUP BY rank, capture, i
    WINDOW so_far AS (PARTITION BY rank, capture ORDER BY i)),
  rank_windows AS (
    FROM (SELECT rank, capture, i, step, coalesce(lag(end_ns) OVER (PARTITION BY rank, capture ORDER BY i), latest_start_ns) AS start_ns, end_ns
          FROM rank_ends)
    WHERE end_ns > start_ns
    UNION ALL
    SELECT rank, capture, i, step, start_ns, end_ns FROM host_steps ANTI JOIN first_work USING (rank, capture)),
  -- Where the host is through with a step: at the next mark, or where the last mark ends.
  host_ends AS (
    SELECT s.rank, s.capture, s.i, coalesce(lead(s.start_ns) OVER (PARTITION BY s.rank, s.capture ORDER BY s.i), m.mark_end_ns, s.end_ns) AS end_ns
    FROM host_steps s LEFT JOIN (
      SELECT rank, capture, ts_ns, CAST(regexp_extract(name, '^ProfilerStep ?# ?([0-9]+)$', 1) AS BIGINT) AS step, max(ts_ns + dur_ns) AS mark_end_ns
      FROM events WHERE dur_ns > 0 AND cat <> 'gpu_user_annotation' AND regexp_matches(name, '^ProfilerStep ?# ?[0-9]+$') GROUP BY ALL) m
    ON m.rank = s.rank AND m.capture = s.capture AND m.step = s.step AND m.ts_ns = s.start_ns AND NOT s.inferred)
""".replace(
    "{order}", "ORDER BY ts_ns, end_ns DESC, event ROWS UNBOUNDED PRECEDING"
)
