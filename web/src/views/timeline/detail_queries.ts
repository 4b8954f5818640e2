// What SQL is asked of an event, in the file that it is of; over all files `own` says whose.

interface Own {
  readonly rank: number;
  readonly capture: number;
}
function of(table: string, own: Own | null): string {
  return own === null ? "" : `${table}.rank = ${own.rank} and ${table}.capture = ${own.capture} and `;
}

// Work of a device with where it comes from and how long after its launch it began.
export function detailQuery(event: number, isWork: boolean, own: Own | null): string {
  if (!isWork) return `select e.* from events e where ${of("e", own)}e.event = ${event}`;
  return `select e.*, k.launch_event, k.class, k.bytes, k.op, k.module, k.line, k.phase, k.process_group,
    e.ts_ns - (l.ts_ns + l.dur_ns) as launch_delay_ns
    from events e left join kernels k using (rank, capture, event)
    left join events l on l.rank = e.rank and l.capture = e.capture and l.event = k.launch_event
    where ${of("e", own)}e.event = ${event}`;
}

// What an event stands in, the outermost first: name, category, index, arguments. Of work that of its launch, which it ends with.
export function stackQuery(inner: number, isWork: boolean, own: Own | null): string {
  return `with recursive up(event, parent, name, cat, args, depth) as (
    select e.event, e.parent, e.name, e.cat, e.args, 0 from events e where ${of("e", own)}e.event = ${inner}
    union all select e.event, e.parent, e.name, e.cat, e.args, up.depth + 1 from events e join up on e.event = up.parent
    where ${of("e", own)}up.depth < 200)
    select name, cat, event, args from up where depth > ${isWork ? -1 : 0} order by depth desc`;
}

// The op of the forward pass that autograd gave this number.
export function forwardQuery(sequence: number, own: Own | null): string {
  return `select e.name, e.event from events e where ${of("e", own)}e.cat = 'cpu_op'
    and regexp_extract(e.args, '"Sequence number": ?"?(-?[0-9]+)', 1) = '${sequence}'
    and regexp_extract(e.args, '"Fwd thread id": ?"?([0-9]+)', 1) in ('', '0') order by e.event limit 1`;
}

// The outermost op of the backward pass that computes the gradient of the forward op with this number.
export function backwardQuery(sequence: number, own: Own | null): string {
  return `select e.name, e.event from events e where ${of("e", own)}e.cat = 'cpu_op'
    and regexp_extract(e.args, '"Sequence number": ?"?(-?[0-9]+)', 1) = '${sequence}'
    and regexp_extract(e.args, '"Fwd thread id": ?"?([0-9]+)', 1) not in ('', '0') order by e.ts_ns, e.event limit 1`;
}
