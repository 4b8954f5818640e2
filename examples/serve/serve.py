"""A small server over the generate() of Hugging Face transformers, batches of its own: python3 serve.py --port 8000 [--model NAME]

What asks while a batch is generated waits for the next one, which takes all that wait, --max-batch at most; --max-wait-ms is how long an idle
server waits for more than one. POST /v1/completions streams a word a token. Without --model the weights are random and words are their
own tokens: made for measuring, with `rankscope load`, `rankscope serving` (--spans FILE) and `rankscope tune serve.toml`. POST /settings
{"max_batch": 8, "max_wait_ms": 20} changes these while it runs. --profile-dir DIR records a trace of the engine between POST /start_profile and
POST /stop_profile. SIGTERM ends it.
"""

import argparse
import asyncio
import collections
import json
import os
import signal
import threading
import time
import uuid
import zlib


class Request:
    """One prompt and its way through the server. Times are ns since 1970; `tell` is called with each list of tokens, and with None in the end."""

    def __init__(self, tokens, most_tokens, tell):
        self.tokens = tokens
        self.most_tokens = most_tokens
        self.tell = tell
        self.count = 0
        self.error = ""
        self.is_given_up = False  # nobody waits for it any more
        self.arrived = time.time_ns()
        self.started = self.first = self.ended = 0

    def take(self, token):
        """One more token; whether it was the last."""
        self.count += 1
        if self.count == 1:
            self.first = time.time_ns()
        self.tell([token])
        if self.count == self.most_tokens:
            self.end()
        return self.ended > 0

    def end(self, error=""):
        if not self.ended:
            self.ended = time.time_ns()
            self.error = error
            self.tell(None)


class Batcher(threading.Thread):
    """Gives what waits to `generate(requests)`, which calls take() for each of their tokens, on a thread of its own."""

    def __init__(self, generate, max_batch, max_wait_s):
        super().__init__(daemon=True)
        self.generate = generate
        self.max_batch = max_batch
        self.max_wait_s = max_wait_s
        self.waiting = collections.deque()
        self.between = []
        self.changed = threading.Condition()

    def add(self, request):
        with self.changed:
            self.waiting.append(request)
            self.changed.notify()

    def call(self, function):
        """Calls `function` on this thread, between two batches."""
        with self.changed:
            self.between.append(function)
            self.changed.notify()

    def next_batch(self):
        with self.changed:
            until = time.monotonic() + self.max_wait_s
            while len(self.waiting) < self.max_batch and time.monotonic() < until:
                self.changed.wait(until - time.monotonic())
            self.waiting = collections.deque(one for one in self.waiting if not one.is_given_up)
            return [self.waiting.popleft() for _ in range(min(self.max_batch, len(self.waiting)))]

    def answer(self, batch):
        now = time.time_ns()
        for request in batch:
            request.started = now
        error = "ended without all of its tokens"
        try:
            self.generate(batch)
        except Exception as caught:  # of a model: a batch that does not fit fails, the server goes on
            error = str(caught)
        for request in batch:
            request.end(error)

    def run(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.between)
                calls, self.between = self.between, []
            for function in calls:
                function()
            if self.waiting and (batch := self.next_batch()):
                self.answer(batch)


class Model:
    """A causal language model of transformers on the first device."""

    def __init__(self, options):
        import torch
        import transformers

        self.torch = torch
        self.transformers = transformers
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        kind = torch.bfloat16 if self.device == "cuda" else torch.float32
        if options.model:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
            self.model = transformers.AutoModelForCausalLM.from_pretrained(options.model)
        else:
            self.tokenizer = None
            torch.manual_seed(0)
            config = transformers.LlamaConfig(
                vocab_size=32_000,
                hidden_size=options.width,
                intermediate_size=options.width * 4,
                num_hidden_layers=options.layers,
                num_attention_heads=options.width // 64,
                num_key_value_heads=options.width // 64,
                max_position_embeddings=8192,
            )
            self.model = transformers.LlamaForCausalLM(config)
        self.model.set_attn_implementation(options.attention)
        self.model.to(self.device, kind).eval()
        self.model.generation_config.eos_token_id = None  # answers have the length that was asked for
        self.model.generation_config.pad_token_id = 0
        self.steps = 0

    def tokens_of(self, prompt):
        if self.tokenizer:
            return self.tokenizer(prompt)["input_ids"]
        return [3 + zlib.crc32(word.encode()) % 31_997 for word in prompt.split()] or [1]

    def word_of(self, token):
        return self.tokenizer.decode([token]) if self.tokenizer else " w%d" % token

    def generate(self, requests):
        torch = self.torch
        longest = max(len(request.tokens) for request in requests)
        ids = torch.zeros(len(requests), longest, dtype=torch.long)
        mask = torch.zeros(len(requests), longest, dtype=torch.long)
        for row, request in enumerate(requests):  # padded on the left
            ids[row, longest - len(request.tokens) :] = torch.tensor(request.tokens)
            mask[row, longest - len(request.tokens) :] = 1
        open_requests = dict(enumerate(requests))

        class Streamer(self.transformers.generation.streamers.BaseStreamer):
            is_prompt = True

            def put(self, value):
                if self.is_prompt:
                    self.is_prompt = False
                    return
                told = value.reshape(-1).tolist()
                for row in list(open_requests):
                    if open_requests[row].take(told[row]):
                        del open_requests[row]

            def end(self):
                pass

        with torch.inference_mode():
            self.model.generate(
                input_ids=ids.to(self.device),
                attention_mask=mask.to(self.device),
                max_new_tokens=max(request.most_tokens for request in requests),
                do_sample=False,
                streamer=Streamer(),
            )

    def profiler(self):
        kinds = [self.torch.profiler.ProfilerActivity.CPU]
        if self.device == "cuda":
            kinds.append(self.torch.profiler.ProfilerActivity.CUDA)
        return self.torch.profiler.profile(activities=kinds)


class Spans:
    """Writes each request as a line of OTLP JSON, with the attributes that engines give their stages."""

    def __init__(self, path):
        self.file = open(path, "a", buffering=1, encoding="utf-8") if path else None

    def write(self, request, request_id, prompt_tokens):
        if not self.file:
            return
        seconds = {
            "gen_ai.latency.e2e": request.ended - request.arrived,
            "gen_ai.latency.time_in_queue": request.started - request.arrived,
        }
        if request.first:
            seconds["gen_ai.latency.time_to_first_token"] = request.first - request.arrived
            seconds["gen_ai.latency.time_in_model_prefill"] = request.first - request.started
            seconds["gen_ai.latency.time_in_model_decode"] = request.ended - request.first
        attributes = [{"key": name, "value": {"doubleValue": ns / 1e9}} for name, ns in seconds.items()]
        counts = {"gen_ai.usage.prompt_tokens": prompt_tokens, "gen_ai.usage.completion_tokens": request.count}
        attributes += [{"key": name, "value": {"intValue": str(count)}} for name, count in counts.items()]
        attributes.append({"key": "gen_ai.request.id", "value": {"stringValue": request_id}})
        span = {
            "traceId": uuid.uuid4().hex,
            "spanId": uuid.uuid4().hex[:16],
            "name": "generate",
            "startTimeUnixNano": str(request.arrived),
            "endTimeUnixNano": str(request.ended),
            "attributes": attributes,
        }
        if request.error:
            span["status"] = {"code": 2, "message": request.error}
        self.file.write(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) + "\n")


class Server:
    def __init__(self, model, batcher, spans, profile_dir):
        self.model = model
        self.batcher = batcher
        self.spans = spans
        self.profile_dir = profile_dir
        self.profiler = None

    @staticmethod
    async def reply(writer, status, document):
        body = json.dumps(document).encode()
        head = "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
        writer.write(head.encode() + body)
        await writer.drain()

    async def complete(self, reader, writer, fields, body):
        if not isinstance(body["prompt"], str) or not 0 < (most_tokens := int(body.get("max_tokens", 16))) < 1_000_000:
            raise ValueError("prompt is a text, max_tokens is 1 or more")
        tokens = asyncio.Queue()
        loop = asyncio.get_running_loop()
        request = Request(
            self.model.tokens_of(body["prompt"]),
            most_tokens,
            lambda some: loop.call_soon_threadsafe(tokens.put_nowait, some),
        )
        prompt_tokens = len(request.tokens)
        gone = asyncio.ensure_future(reader.read(1))  # ends when who asked closes the connection
        gone.add_done_callback(lambda _: setattr(request, "is_given_up", True))
        self.batcher.add(request)
        try:
            await self.stream(writer, request, tokens, prompt_tokens)
        finally:
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        self.spans.write(request, fields.get("x-request-id", uuid.uuid4().hex), prompt_tokens)

    async def stream(self, writer, request, tokens, prompt_tokens):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")

        async def event(document):
            text = document if isinstance(document, str) else json.dumps(document)
            data = ("data: %s\n\n" % text).encode()
            writer.write(b"%x\r\n%b\r\n" % (len(data), data))
            await writer.drain()

        while (some := await tokens.get()) is not None:
            text = "".join(self.model.word_of(token) for token in some)
            await event({"choices": [{"text": text, "finish_reason": None}]})
        if request.error:
            await event({"error": {"message": request.error}})
        else:
            usage = {"prompt_tokens": prompt_tokens, "completion_tokens": request.count}
            await event({"choices": [{"text": "", "finish_reason": "length"}]})
            await event({"choices": [], "usage": usage})
        await event("[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def profile(self, writer, starts):
        """A profiler is of the thread that starts it: the one that generates."""
        done = asyncio.Event()
        loop = asyncio.get_running_loop()

        def change():
            try:
                if starts and not self.profiler:
                    self.profiler = self.model.profiler()
                    self.profiler.start()
                elif not starts and self.profiler:
                    profiler, self.profiler = self.profiler, None
                    profiler.stop()
                    name = "engine-%d.pt.trace.json" % time.time()
                    profiler.export_chrome_trace(os.path.join(self.profile_dir, name))
            finally:
                loop.call_soon_threadsafe(done.set)

        if not self.profile_dir:
            await self.reply(writer, 400, {"error": {"message": "started without --profile-dir"}})
            return
        self.batcher.call(change)
        await done.wait()
        await self.reply(writer, 200, {})

    async def serve(self, reader, writer):
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                path = lines[0].split()[1]
                if path == "/v1/completions":
                    await self.complete(reader, writer, fields, json.loads(body))
                elif path == "/v1/models":
                    await self.reply(writer, 200, {"data": [{"id": "model"}]})
                elif path == "/health":
                    await self.reply(writer, 200, {})
                elif path == "/settings":  # counts from the next batch on
                    settings = json.loads(body)
                    self.batcher.max_batch = int(settings.get("max_batch", self.batcher.max_batch))
                    self.batcher.max_wait_s = settings.get("max_wait_ms", self.batcher.max_wait_s * 1000) / 1000
                    await self.reply(writer, 200, {})
                elif path in ("/start_profile", "/stop_profile"):
                    await self.profile(writer, path == "/start_profile")
                else:
                    await self.reply(writer, 404, {"error": {"message": "no such page"}})
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # who asked has gone
        except (ValueError, KeyError, TypeError, IndexError) as error:
            await self.reply(writer, 400, {"error": {"message": "%s: %s" % (type(error).__name__, error)}})
        finally:
            writer.close()


async def listen(server, port):
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", port)
    print("http://127.0.0.1:%d" % listening.sockets[0].getsockname()[1], flush=True)
    await stop.wait()
    os._exit(0)  # without waiting for a batch that is being generated


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--model", default="", help="a model's name or folder; without it weights are random")
    parser.add_argument("--layers", type=int, default=16, help="of random weights")
    parser.add_argument("--width", type=int, default=1024, help="of random weights, a multiple of 64")
    parser.add_argument("--max-batch", type=int, default=4)
    parser.add_argument("--max-wait-ms", type=float, default=0)
    parser.add_argument("--attention", choices=["eager", "sdpa"], default="sdpa")
    parser.add_argument("--spans", default="", help="a file for a line of OTLP JSON for each request")
    parser.add_argument("--profile-dir", default="")
    options = parser.parse_args()
    model = Model(options)
    warm = Request([1] * 16, 8, lambda some: None)
    model.generate([warm])
    batcher = Batcher(model.generate, options.max_batch, options.max_wait_ms / 1000)
    batcher.start()
    asyncio.run(listen(Server(model, batcher, Spans(options.spans), options.profile_dir), options.port))


if __name__ == "__main__":
    main()
