"""Agents and servers of adjacent versions, by what older ones were recorded to say (tests/wire/VERSION.json, made by wire.py): an
older agent with this server, and this agent with an older server."""

import glob
import hashlib
import json
import os
import re
import threading
import time
import unittest

import server
import wire
from agent import WithAgent
from waiting import until

RECORDED = sorted(glob.glob(os.path.join(wire.HERE, "wire", "*.json")))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def shape(exchange):
    """Method and address, without what is of one run, one file."""
    path = re.sub(r"(/runs/)[^/]+", r"\1ID", exchange["path"].split("?")[0])
    return exchange["method"], re.sub(r"(/files/).+", r"\1NAME", path)


class Skew(WithAgent):
    def has_all_of(self, recorded, now, where="", without=()):
        """Members of old messages are there, and of the same kinds; what is new beside them is left out by who does not know it."""
        if isinstance(recorded, dict):
            self.assertIsInstance(now, dict, where)
            for name, value in recorded.items():
                if name not in without:
                    self.assertIn(name, now, where)
                    self.has_all_of(value, now[name], f"{where}.{name}", without)
        elif isinstance(recorded, list):
            self.assertIsInstance(now, list, where)
            if recorded and now:
                self.has_all_of(recorded[0], now[0], where + "[0]", without)
        elif recorded is not None and now is not None:
            self.assertEqual(
                isinstance(recorded, (int, float)) and not isinstance(recorded, bool),
                isinstance(now, (int, float)) and not isinstance(now, bool),
                f"{where}: {recorded} and {now}",
            )

    def test_an_older_agent_and_this_server(self):
        self.assertTrue(RECORDED)
        for path in RECORDED:
            with self.subTest(os.path.basename(path)):
                self.older_agent(load(path), server.Server(self.path("data-" + os.path.basename(path))))

    def older_agent(self, old, serving):
        self.addCleanup(serving.stop)
        reports = [one for one in old["exchanges"] if one["path"] == "/api/v1/hosts"]
        told = [json.loads(wire.decoded(one["body"])) for one in reports]
        # What it answered to the requests of the exchange before, by what was asked.
        answers = {}
        for before, after in zip(reports, told[1:]):
            asked = json.loads(wire.decoded(before["answer"]))["requests"]
            for request, answer in zip(asked, after["answers"]):
                answers.setdefault(json.loads(request["request"])["fn"], []).append(answer["answer"])
        questions = {}
        for one in reports:
            for request in json.loads(wire.decoded(one["answer"]))["requests"]:
                questions[json.loads(request["request"])["fn"]] = json.loads(request["request"])

        def report(body, **changes):
            reply = serving.ask("POST", "/api/v1/hosts", {**body, "wait_ms": 0, **changes}, expect=200)[2]
            self.has_all_of(json.loads(wire.decoded(reports[0]["answer"])), reply)
            return reply

        report(told[0])
        with_process = next(one for one in told if one["processes"])
        report(with_process, answers=[])
        (host,) = serving.ask("GET", "/api/v1/hosts", expect=200)[2]["hosts"]
        self.assertEqual((host["host"], host["version"], host["here"]), ("node1", old["version"], True))
        self.assertEqual([process["rank"] for process in host["processes"]], [0])

        made = serving.ask("POST", "/api/v1/captures", {"job": "", "hosts": ["node1"], "duration_ms": 200}, expect=201)[
            2
        ]
        run = []
        given = {fn: list(texts) for fn, texts in answers.items()}
        to_send = []

        def step():
            """A report with answers to what the last one brought; what is asked is what the old agent knows to answer."""
            nonlocal to_send
            reply = report(with_process, answers=to_send)
            to_send = []
            for request in reply["requests"]:
                asked = json.loads(request["request"])
                self.assertIn(asked["fn"], questions)
                self.has_all_of(questions[asked["fn"]], asked, asked["fn"])
                run[:] = [asked["id"].split(":")[0]]
                texts = given[asked["fn"]]
                # The last one says that the trace is written: not before it has come.
                is_last = len(texts) == 1 or (len(texts) == 2 and not sent.is_set())
                text = texts[0] if is_last else texts.pop(0)
                to_send.append({"id": request["id"], "answer": text.replace(old["run"], run[0])})
            return serving.ask("GET", "/api/v1/captures/" + made["id"], expect=200)[2]

        sent = threading.Event()
        until(lambda: step() and len(given["getCapture"]) == 2)
        for one in old["exchanges"]:
            if one["path"] == "/api/v1/hosts":
                continue
            status, _, reply = serving.ask(
                one["method"], one["path"].replace(old["run"], run[0]), wire.decoded(one["body"]), one["fields"]
            )
            self.assertEqual(status, one["status"], reply)
            self.has_all_of(json.loads(wire.decoded(one["answer"])), reply)
        sent.set()
        done = until(lambda: next((one for one in [step()] if one["phase"] in ("done", "failed", "cancelled")), None))
        self.assertEqual((done["phase"], done["written"], done["arrived"]), ("done", 1, 1), done)
        state = lambda: serving.ask("GET", "/api/v1/runs/" + run[0], expect=200)[2]["state"]
        until(lambda: state() == "ready", state)

    def test_this_agent_and_an_older_server(self):
        for path in RECORDED:
            with self.subTest(os.path.basename(path)):
                self.older_server(load(path))

    def older_server(self, old):
        reports = [one for one in old["exchanges"] if one["path"] == "/api/v1/hosts"]
        known = {shape(one): one for one in old["exchanges"]}
        seen, came = [], []
        number = 0

        def answer(method, path, fields, body):
            nonlocal number
            one = {"method": method, "path": path, "body": body}
            seen.append(one)
            if shape(one) not in known:
                return 404, {}, b'{"error":{"code":"not_found","message":"no such address"}}'
            recorded = known[shape(one)]
            reply = json.loads(wire.decoded(recorded["answer"]))
            if path != "/api/v1/hosts":
                if "sha256" in reply:
                    reply["sha256"] = hashlib.sha256(body).hexdigest()
                    reply["bytes"] = len(body)
                    reply["name"] = path.split("/files/")[1]
                return recorded["status"], {"Content-Type": "application/json"}, json.dumps(reply).encode()
            told = json.loads(body)
            came.extend(json.loads(each["answer"]) for each in told["answers"])
            # The old one's next words, once there is a process; while it records it asks again and again.
            reply = json.loads(wire.decoded(reports[0]["answer"]))
            now_us = int(time.time() * 1e6)
            reply["received_us"], reply["replied_us"] = now_us, now_us
            if told["processes"] and number < 2:
                asked = next(
                    json.loads(wire.decoded(each["answer"]))["requests"][0]
                    for each in reports
                    if json.loads(wire.decoded(each["answer"]))["requests"]
                    and ("startCapture" in wire.decoded(each["answer"]).decode()) == (number == 0)
                )
                text = re.sub(r'"start_unix_ms":\d+', f'"start_unix_ms":{now_us // 1000 + 100}', asked["request"])
                text = text.replace("/tmp/", self.folder + "/")
                reply["requests"] = [{"id": asked["id"], "request": text}]
                is_over = any(member["state"] == "written" for each in came for member in each.get("members", []))
                number = 2 if is_over else 1
            return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()

        between = wire.Between(answer)
        self.addCleanup(between.end)
        one = self.start(
            server__url=between.address, host__name="node1", server__interval_s=1, capture__spool_dir=self.path("spool")
        )
        self.train(RANK="0", WORLD_SIZE="1")
        until(lambda: '"sent"' in one.get("/api/v1/deliveries"), lambda: one.lines)
        # It asks for nothing that the older one does not have.
        self.assertLessEqual({shape(each) for each in seen}, set(known))
        self.assertEqual([line for line in one.lines if "takes no reports" in line or "settings" in line], [])
        # And tells all that the older one reads.
        texts = [json.loads(wire.decoded(each["body"])) for each in reports]
        old_report = next(each for each in texts if each["processes"] and "rtt_us" in each)
        new_report = next(
            told
            for told in (json.loads(each["body"]) for each in seen if each["path"] == "/api/v1/hosts")
            if told["processes"] and "rtt_us" in told
        )
        self.has_all_of(old_report, new_report)
        old_answers = [json.loads(answer["answer"]) for each in texts for answer in each["answers"]]
        for has in ("processesMatched", "members"):
            self.has_all_of(
                next(each for each in old_answers if has in each), next(each for each in came if has in each), has
            )
        one.stop()
        self.agents.remove(one)


if __name__ == "__main__":
    unittest.main(argv=["skew_test"])
