"""Ops by the profiler that PyTorch had before Kineto."""

import os
import time

import torch
from torch.autograd import ProfilerConfig, ProfilerState, _disable_profiler_legacy, _enable_profiler_legacy


class Recording:
    """Ops from now on, of all threads. `anchor` has to be called at least once: it ties the profiler's clock to the host's."""

    def __init__(self):
        self._anchors = 0
        self._anchor_ns = None
        self._anchor_name = "rankscope clock"
        with_shapes, with_memory, with_stack, with_flops, with_modules = True, False, False, False, False
        _enable_profiler_legacy(
            ProfilerConfig(
                ProfilerState.CPU,
                with_shapes,
                with_memory,
                with_stack,
                with_flops,
                with_modules,
                torch._C._profiler._ExperimentalConfig(),
            )
        )

    def anchor(self, then):
        """Notes what both clocks say, then calls `then`."""
        if self._anchor_ns is None:
            mark = torch.autograd.profiler.record_function(self._anchor_name)
            before = time.perf_counter_ns()
            mark.__enter__()
            self._anchor_ns = (before + time.perf_counter_ns()) // 2
            mark.__exit__(None, None, None)
        then()

    def end(self):
        """The ops: (category, thread, start in ns, end in ns, name, arguments)."""
        threads = _disable_profiler_legacy()
        start = next(record for records in threads for record in records if record.name() == "__start_profile")
        anchor, main = self._find_anchor(threads)
        base_ns = self._anchor_ns - round(start.cpu_elapsed_us(anchor) * 1e3)
        # What begins on one thread and ends on another (gloo's collectives) has its end in another list.
        ends = {record.handle(): record for records in threads for record in records if record.kind() == "pop"}
        pushes = [record for records in threads for record in records if record.kind() == "push"]
        return [
            _op(push, ends[push.handle()], start, base_ns, main)
            for push in pushes
            if push.handle() in ends and push.name() != self._anchor_name
        ]

    def _find_anchor(self, threads):
        for records in threads:
            for record in records:
                if record.kind() == "push" and record.name() == self._anchor_name:
                    return record, record.thread_id()
        raise RuntimeError("PyTorch's profiler recorded nothing")


def _op(push, pop, start, base_ns, main):
    begin_ns = base_ns + round(start.cpu_elapsed_us(push) * 1e3)
    end_ns = base_ns + round(start.cpu_elapsed_us(pop) * 1e3)
    name = push.name()
    pid = os.getpid()
    thread = pid if push.thread_id() == main else _other_thread(push.thread_id())
    # RecordScope::USER_SCOPE; gloo's collectives have it, too, and are ops.
    user = push.scope() == 7 and not name.startswith("gloo:")
    arguments = {"External id": push.handle()}
    if push.shapes():
        arguments["Input Dims"] = push.shapes()
    if push.sequence_nr() >= 0:
        arguments["Sequence number"] = push.sequence_nr()
        arguments["Fwd thread id"] = push.fwd_thread_id()
    return ("user_annotation" if user else "cpu_op", thread, begin_ns, end_ns, name, arguments)


def _other_thread(number):
    """A thread's number in the file: PyTorch counts threads, and does not tell the kernel's number."""
    return 1_000_000_000 + number


def arrows(ops, pid, base_ns):
    """What Kineto draws from an op to the one of the backward pass that belongs to it, by sequence numbers: flow events."""
    forward = {}
    for _, thread, start_ns, _, _, arguments in ops:
        number = arguments.get("Sequence number")
        if number is not None and not arguments["Fwd thread id"]:
            forward[number] = (thread, start_ns)  # the innermost op: the one that made the node
    events = []
    for _, thread, start_ns, _, _, arguments in ops:
        number = arguments.get("Sequence number")
        if number is None or not arguments["Fwd thread id"] or number not in forward:
            continue
        for phase, (of_thread, at_ns) in (("s", forward[number]), ("f", (thread, start_ns))):
            event = {"ph": phase, "id": number, "pid": pid, "tid": of_thread, "ts": (at_ns - base_ns) / 1e3}
            event.update({"cat": "fwdbwd", "name": "fwdbwd"})
            if phase == "f":
                event["bp"] = "e"
            events.append(event)
    return events
