"""python3 write_serving.py FOLDER writes small inputs of every format, each with the two bytes in front that fuzz_serving takes.

A simulated server with continuous batching, and what it would write down: spans, scrapes, the engine's log, the client's records.

A step takes floor + slope * generating requests + prefill * prompt tokens, with some noise. Requests wait for a slot, for room in the KV cache (in blocks of 16
tokens; the newest is preempted and computed again when it runs out) and for the token budget of a step. Times are ns since 1970. Shares no code with what
reads it."""

import bisect
import json
import os
import random
import sys
import tempfile

BEGIN = 1_764_000_000_000_000_000
MS = 1_000_000
S = 1_000_000_000


class Request:
    def __init__(self, number, arrival, prompt, output):
        self.number, self.arrival, self.prompt, self.output = number, arrival, prompt, output
        self.left, self.made = prompt, 0  # of the prompt, and of what was made before a preemption; tokens made
        self.total = prompt  # what has to be in the cache before the next token
        self.scheduled = self.first = self.last = None
        self.preemptions = 0
        self.frontend = 3 * MS

    @property
    def end(self):
        return self.last + self.frontend


class Server:
    """Runs all requests when it is made. `rate` per second, `slots` at once, `blocks` of KV cache, `budget` tokens a step; `cold` the first step's extra time."""

    def __init__(
        self,
        count=600,
        rate=4.0,
        slots=256,
        blocks=12_000,
        budget=2048,
        prompt=300,
        output=100,
        cold=0,
        long_prompts=0.0,
        frontend_per_request=0,
        floor=10 * MS,
        slope=60_000,
        prefill=40_000,
        seed=1,
        begin=BEGIN,
    ):
        self.random = random.Random(seed)
        self.slots, self.blocks, self.budget, self.cold = slots, blocks, budget, cold
        self.floor, self.slope, self.prefill = floor, slope, prefill
        self.begin = begin
        self.frontend_per_request = frontend_per_request
        self.requests, now = [], begin + 2 * S
        for number in range(count):
            now += int(self.random.expovariate(rate) * S)
            tokens = max(8, int(self.random.lognormvariate(0, 0.5) * prompt))
            if self.random.random() < long_prompts:
                tokens = 12_000
            self.requests.append(Request(number, now, tokens, max(2, int(self.random.lognormvariate(0, 0.5) * output))))
        self.iterations, self.levels, self.preemptions = [], [], 0
        self.run()

    def blocks_of(self, request):
        return -(-(request.total - request.left + request.made - (request.total - request.prompt) + 1) // 16)

    def run(self):
        waiting, running, coming = [], [], list(self.requests)
        now, cached = self.begin + 2 * S, 0
        while waiting or running or coming:
            if not waiting and not running:
                now = max(now, coming[0].arrival)
            while coming and coming[0].arrival <= now:
                waiting.append(coming.pop(0))
            budget, context, chunks, generating = self.budget, 0, [], []
            index = 0
            while index < len(running):
                request = running[index]
                while cached + 1 > self.blocks and len(running) > 1:
                    last = running.pop()
                    cached -= self.blocks_of(last)
                    last.total = last.left = last.prompt + last.made
                    last.preemptions += 1
                    self.preemptions += 1
                    waiting.insert(0, last)
                    chunks = [one for one in chunks if one[0] is not last]
                    generating = [one for one in generating if one is not last]
                    if last is request:
                        break
                if index >= len(running):
                    break
                before = self.blocks_of(request)
                if request.left == 0:
                    generating.append(request)
                    request.made += 1
                    budget -= 1
                elif budget > 0:
                    chunk = min(request.left, budget)
                    request.left -= chunk
                    budget -= chunk
                    context += chunk
                    chunks.append((request, chunk))
                cached += self.blocks_of(request) - before
                index += 1
            while waiting and budget > 0 and len(running) < self.slots:
                request = waiting[0]
                chunk = min(request.left, budget)
                if cached + -(-(chunk + 1) // 16) > self.blocks and running:
                    break
                waiting.pop(0)
                if request.scheduled is None:
                    request.scheduled = now
                request.left -= chunk
                budget -= chunk
                context += chunk
                chunks.append((request, chunk))
                cached += self.blocks_of(request)
                running.append(request)
            elapsed = self.floor + self.slope * len(generating) + self.prefill * context
            elapsed = int(elapsed * self.random.lognormvariate(0, 0.02))
            if not self.iterations:
                elapsed += self.cold
            now += elapsed
            self.iterations.append((now, len(chunks), sum(chunk for _, chunk in chunks), len(generating), elapsed))
            self.levels.append((now, len(running), len(waiting), cached / self.blocks))
            for request, _ in chunks:
                if request.left == 0:
                    request.made += 1
                    if request.first is None:
                        request.first = now
            for request in list(running):
                if request.left == 0 and request.made >= request.output:
                    request.last = now
                    cached -= self.blocks_of(request)
                    running.remove(request)
                    request.frontend = 3 * MS + self.frontend_per_request * (len(running) + 1)
            now += 300_000  # scheduling

    # What it writes.

    def write_spans(self, path):
        spans = []
        for request in self.requests:
            number = lambda key, value: {"key": key, "value": {"doubleValue": value / 1e9}}
            integer = lambda key, value: {"key": key, "value": {"intValue": str(value)}}
            spans.append(
                {
                    "traceId": f"{request.number:032x}",
                    "spanId": f"{request.number:016x}",
                    "name": "llm_request",
                    "kind": 2,
                    "startTimeUnixNano": str(request.arrival),
                    "endTimeUnixNano": str(request.end),
                    "attributes": [
                        {"key": "gen_ai.request.id", "value": {"stringValue": f"cmpl-req-{request.number}"}},
                        integer("gen_ai.usage.prompt_tokens", request.prompt),
                        integer("gen_ai.usage.completion_tokens", request.output),
                        number("gen_ai.latency.e2e", request.end - request.arrival),
                        number("gen_ai.latency.time_to_first_token", request.first - request.arrival),
                        number("gen_ai.latency.time_in_queue", request.scheduled - request.arrival),
                        number("gen_ai.latency.time_in_model_prefill", request.first - request.scheduled),
                        number("gen_ai.latency.time_in_model_decode", request.last - request.first),
                    ],
                }
            )
        with open(path, "w", encoding="utf-8") as file:
            for at in range(0, len(spans), 50):
                scope = {"scope": {"name": "vllm"}, "spans": spans[at : at + 50]}
                file.write(
                    json.dumps({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}) + "\n"
                )

    def write_log(self, path):
        with open(path, "w", encoding="utf-8") as file:
            for number, (_, context, tokens, generating, elapsed) in enumerate(self.iterations):
                file.write(
                    f"(EngineCore pid=7) INFO 11-24 16:00:00 [core.py:9] Iteration({number}): {context} context requests, {tokens} context tokens, "
                    f"{generating} generation requests, {generating} generation tokens, iteration elapsed time: {elapsed / MS:.2f} ms\n"
                )

    def write_scrapes(self, folder, every=S, replica="metrics"):
        """One file a scrape, of vLLM."""
        os.makedirs(folder, exist_ok=True)
        end = max(request.end for request in self.requests)
        level = ended = 0
        by_end = sorted(self.requests, key=lambda request: request.end)
        for time in range(self.begin, end + every, every):
            while level + 1 < len(self.levels) and self.levels[level + 1][0] <= time:
                level += 1
            _, running, waiting, usage = self.levels[level] if self.levels[level][0] <= time else (0, 0, 0, 0.0)
            while ended < len(by_end) and by_end[ended].end <= time:
                ended += 1
            done = by_end[:ended]
            lines = ["# HELP vllm:num_requests_running Number of requests", "# TYPE vllm:num_requests_running gauge"]
            label = '{engine="0",model_name="m"}'
            lines.append(f"vllm:num_requests_running{label} {running}.0")
            lines.append(f"vllm:num_requests_waiting{label} {waiting}.0")
            lines.append(f"vllm:kv_cache_usage_perc{label} {min(usage, 1.0)}")
            lines.append(f"vllm:num_preemptions_total{label} {sum(request.preemptions for request in done)}.0")
            lines.append(f"vllm:generation_tokens_total{label} {sum(request.output for request in done)}.0")
            lines.append(
                f'vllm:request_success_total{{engine="0",finished_reason="length",model_name="m"}} {len(done)}.0'
            )
            for name, value in {
                "e2e_request_latency": lambda one: one.end - one.arrival,
                "request_queue_time": lambda one: one.scheduled - one.arrival,
                "request_prefill_time": lambda one: one.first - one.scheduled,
                "request_decode_time": lambda one: one.last - one.first,
                "request_inference_time": lambda one: one.last - one.scheduled,
            }.items():
                values = [value(request) / 1e9 for request in done]
                ordered = sorted(values)
                for bound in (0.3, 0.5, 1, 2, 5, 10, 30, 60, "+Inf"):
                    count = len(values) if bound == "+Inf" else bisect.bisect_right(ordered, bound)
                    lines.append(f'vllm:{name}_seconds_bucket{{engine="0",le="{bound}",model_name="m"}} {count}.0')
                lines.append(f"vllm:{name}_seconds_sum{label} {sum(values)!r}")
                lines.append(f"vllm:{name}_seconds_count{label} {len(values)}.0")
            with open(os.path.join(folder, f"{replica}-{time // MS}.prom"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")

    def write_clients(self, path, network=5 * MS):
        """AIPerf's records."""
        with open(path, "w", encoding="utf-8") as file:
            for request in self.requests:
                start = request.arrival - network // 2
                line = {
                    "metadata": {
                        "x_request_id": f"req-{request.number}",
                        "request_start_ns": start,
                        "benchmark_phase": "profiling",
                        "was_cancelled": False,
                    },
                    "metrics": {
                        "time_to_first_token": {"value": (request.first - start + network // 2) / MS, "unit": "ms"},
                        "request_latency": {"value": (request.end - start + network // 2) / MS, "unit": "ms"},
                        "input_sequence_length": {"value": request.prompt, "unit": "tokens"},
                        "output_sequence_length": {"value": request.output, "unit": "tokens"},
                    },
                    "error": None,
                }
                file.write(json.dumps(line) + "\n")

    def write_all(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.write_spans(os.path.join(folder, "spans.jsonl"))
        self.write_log(os.path.join(folder, "vllm.log"))
        self.write_scrapes(os.path.join(folder, "scrapes"))
        return folder


SCENES = {
    "healthy": {},
    "slots": {"slots": 8, "rate": 8.0},
    "cache": {"blocks": 700, "rate": 10.0, "prompt": 600, "output": 200},
    "prompts": {"long_prompts": 0.12, "budget": 16_384, "rate": 1.5, "output": 150},
    "cold": {"cold": 20 * S, "rate": 2.0},
    "frontend": {"frontend_per_request": 60 * MS, "rate": 6.0},
    "overload": {"rate": 40.0, "count": 2000, "budget": 512},
}


def small_texts():
    """(which reader of fuzz_serving, a text) of every format."""
    server = Server(count=6)
    with tempfile.TemporaryDirectory() as folder:
        server.write_spans(os.path.join(folder, "spans"))
        server.write_log(os.path.join(folder, "log"))
        server.write_clients(os.path.join(folder, "clients"))
        server.write_scrapes(os.path.join(folder, "scrapes"), every=2 * S)
        scrapes = sorted(os.listdir(os.path.join(folder, "scrapes")))[:2]
        read = lambda name: open(os.path.join(folder, name), encoding="utf-8").read()
        yield 0, "".join(f"# scraped_at {BEGIN // S + i}\n" + read(f"scrapes/{name}") for i, name in enumerate(scrapes))
        yield 1, read("spans")
        yield 3, read("clients")
        yield 6, "".join(read("log").splitlines(True)[:20])
    slices = [
        ("r", "", "Req 1", 1000, 2000),
        ("a", "r", "prefill_waiting", 1000, 1300),
        ("b", "r", "prefill_forward", 1300, 1500),
        ("c", "r", "decode_forward", 1500, 1900),
    ]
    spans = [
        {
            "traceId": "1",
            "spanId": span,
            "parentSpanId": parent,
            "name": name,
            "startTimeUnixNano": str(begin),
            "endTimeUnixNano": str(end),
        }
        for span, parent, name, begin, end in slices
    ]
    yield 1, json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    meta = {
        "prompt_tokens": 600,
        "completion_tokens": 11,
        "cached_tokens": 4,
        "request_received_ts": 1764000000.5,
        "e2e_latency": 2.0,
        "queue_time": 0.5,
    }
    yield 2, "".join(
        json.dumps({"request_parameters": json.dumps({"text": "a" * 600}), "meta_info": meta}) + "\n" for _ in range(3)
    )
    clock = {"rankscope_requests": 1, "unit": "ns", "monotonic": 5000, "wall": BEGIN, "host": "h", "pid": 7}
    call = {
        "id": "1",
        "method": "m",
        "arrival": 6000,
        "dequeue": 6100,
        "begin": 6200,
        "end": 9000,
        "sent": 9100,
        "lock_wait": 500,
        "lock_held": 20,
        "lock": "index",
        "batch": 1,
        "batch_size": 2,
        "status": "done",
        "thread": 70,
        "connection": 3,
    }
    yield 10, "".join(
        json.dumps(line) + "\n"
        for line in (clock, {"sample": 6000, "queued": 1, "running": 2, "sending": 0, "dropped": 3}, call, call)
    )
    yield 4, json.dumps(
        {
            "request_throughput": 1.0,
            "input_lens": [5, 6],
            "output_lens": [3, 0],
            "ttfts": [0.5, 0.0],
            "itls": [[0.25], []],
            "errors": ["", "x"],
        }
    )
    successful = [
        {
            "request_id": "a",
            "start_time": 1764000000.0,
            "end_time": 1764000001.0,
            "time_to_first_token_ms": 100.0,
            "output_tokens": 9,
        }
    ]
    yield 5, json.dumps({"benchmarks": [{"requests": {"successful": successful, "errored": [{"error": "x"}]}}]})
    yield 6, (
        '1.2.3.4 - - [24/Nov/2025:16:00:10 +0000] "POST /v1 HTTP/1.1" 200 51 "-" "a" rt=2.500 urt="1.0, 1.250"\n'
        '[2025-11-24T16:00:00.000Z] "POST /v1 HTTP/2" 200 - 154 9 226 100 "1.2.3.4" "curl" "id" "host" "up"\n'
        '{"request_time": "0.5", "status": 499, "time_iso8601": "2025-11-24T16:00:00+01:00"}\n'
        "INFO 11-24 16:00:00 Engine 001: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 6.0 tokens/s, Running: 3 reqs, Waiting: 7 reqs, "
        "GPU KV cache usage: 50.5%, Prefix cache hit rate: 12.0%\n"
    )
    yield 0, (
        'llamacpp:n_busy_slots_per_decode 2\nllamacpp:n_decode_total 1e2\nnv_inference_count{model="a\\"b"} NaN\n# EOF\n'
        'sglang:num_queue_reqs{tp_rank="1",dp_rank="0"} 5 1764000000123 # {a="b"} 1\r\ntgi_request_duration_bucket{le="+Inf"} +Inf\n'
    )
    yield 8, "ttft=500ms,tpot=5,e2e=1s"
    requests = [
        {
            "load_request": i,
            "level": 0,
            "begin_ns": BEGIN + i * 50 * MS,
            "lag_ns": 1000,
            "sent_ns": 90_000,
            "first_token_ns": 30 * MS,
            "end_ns": 60 * MS,
            "gaps_ns": [10 * MS] * 3,
            "prompt_tokens": 9,
            "output_tokens": 4,
            "outcome": "done" if i % 9 else "failed",
        }
        for i in range(60)
    ]
    level = {
        "load_level": 0,
        "kind": "open",
        "target_per_s": 20,
        "begin_ns": BEGIN,
        "sending_ns": 3 * S,
        "client_busy_pct": 5,
    }
    yield 9, "".join(json.dumps(one) + "\n" for one in [*requests, level])


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for index, (kind, seed) in enumerate(small_texts()):
        with open(os.path.join(sys.argv[1], f"{index:02}"), "wb") as out:
            out.write(bytes([kind, index]) + seed.encode()[: 16 * 1024])
