"""A server of OpenAI's kind whose times are known: python3 openai_server.py PORT SLOTS STEP_MS. Prints its address.

At most SLOTS requests at once are answered, each with a token every STEP_MS, the first after three. What a request's `fault` member says goes wrong: `cut` (the
connection ends in the middle), `error` (an event with an error), `refuse` (503), `no-usage`. GET /stall?ms=2000&after_ms=500 makes all tokens wait
for two seconds, from half a second after the first request on; that may come later. GET /counts tells how many requests came, and what their last one was."""

import asyncio
import json
import sys
import time
import urllib.parse

SLOTS, STEP = int(sys.argv[2]), float(sys.argv[3]) / 1000


class Server:
    def __init__(self):
        self.slots = asyncio.Semaphore(SLOTS)
        self.first = None  # when the first request came
        self.stall = (0, 0)  # seconds behind that: its begin and end
        self.count, self.most_inside, self.inside, self.aborted = 0, 0, 0, 0
        self.last = {}

    async def step(self, times=1):
        await asyncio.sleep(STEP * times)
        while self.stall[0] <= time.monotonic() - self.first < self.stall[1]:
            await asyncio.sleep(0.01)

    @staticmethod
    async def reply(writer, status, document):
        body = json.dumps(document).encode()
        writer.write(
            b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
            + body
        )
        await writer.drain()

    async def answer(self, writer, request, is_chat):
        fault, tokens = request.get("fault"), request["max_tokens"]
        if fault == "refuse":
            await self.reply(writer, 503, {"error": {"message": "full"}})
            return True
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")

        async def event(text):
            data = f"data: {text}\n\n".encode()
            writer.write(b"%x\r\n" % len(data) + data + b"\r\n")
            await writer.drain()

        async with self.slots:
            await self.step(3)
            for i in range(tokens):
                if i > 0:
                    await self.step()
                if fault == "cut" and i == tokens // 2:
                    return False
                if fault == "error" and i == tokens // 2:
                    await event(json.dumps({"error": {"message": "out of memory"}}))
                    break
                said = {"delta": {"content": " a"}} if is_chat else {"text": " a"}
                said["finish_reason"] = "length" if i == tokens - 1 else None
                await event(json.dumps({"choices": [said]}))
        if fault != "no-usage":
            prompt = request["prompt"] if not is_chat else " ".join(one["content"] for one in request["messages"])
            await event(
                json.dumps(
                    {"choices": [], "usage": {"prompt_tokens": len(prompt.split()), "completion_tokens": tokens}}
                )
            )
        await event("[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = head.split("\r\n")
                fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                url = urllib.parse.urlsplit(lines[0].split()[1])
                if url.path == "/v1/models":
                    await self.reply(writer, 200, {"data": [{"id": "toy"}]})
                elif url.path == "/stall":
                    asked = {name: float(values[0]) / 1000 for name, values in urllib.parse.parse_qs(url.query).items()}
                    self.stall = (asked["after_ms"], asked["after_ms"] + asked["ms"])
                    await self.reply(writer, 200, {})
                elif url.path == "/counts":
                    await self.reply(
                        writer,
                        200,
                        {
                            "count": self.count,
                            "most_inside": self.most_inside,
                            "aborted": self.aborted,
                            "last": self.last,
                        },
                    )
                elif url.path in ("/v1/completions", "/v1/chat/completions"):
                    request = json.loads(body)
                    self.count += 1
                    self.first = self.first or time.monotonic()
                    self.last = {"fields": fields, "body": request}
                    self.inside += 1
                    self.most_inside = max(self.most_inside, self.inside)
                    try:
                        if not await self.answer(writer, request, "chat" in url.path):
                            break
                    finally:
                        self.inside -= 1
                else:
                    await self.reply(writer, 404, {"error": {"message": "no such page"}})
        except (asyncio.IncompleteReadError, ConnectionError):
            self.aborted += 1
        finally:
            writer.close()


async def main():
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", int(sys.argv[1]))
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)
    async with listening:
        await listening.serve_forever()


asyncio.run(main())
