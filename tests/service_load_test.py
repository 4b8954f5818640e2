"""A server under many clients at a time loses nothing that it acknowledged. How fast it is, is said by ./dev bench service."""

import os
import sys
import tempfile
import unittest

import program

sys.path.insert(0, os.path.join(program.HERE, "..", "bench"))

import service  # pylint: disable=wrong-import-position


class Load(unittest.TestCase):
    def test_twenty_clients_lose_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            told = service.load(folder, clients=20, seconds=0, least=80, runs=3, think_s=0.02)
        self.assertEqual(told["faults"], [])
        known = told["known"]
        self.assertGreater(len(known.files), 10)
        self.assertGreater(sum(map(len, known.notes.values())), 0)
        self.assertGreater(sum(known.samples.values()), 0)
        for kind in (
            "list of runs",
            "one run",
            "view",
            "view, unchanged",
            "table",
            "upload",
            "part of an upload",
            "offset of an upload",
            "read back",
            "note",
            "first word of events",
        ):
            self.assertTrue(told["times"].get(kind), kind)
        self.assertGreaterEqual(told["events"], 19)  # every client's run was told

    def test_what_is_lost_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            server = service.Server(os.path.join(folder, "data"))
            try:
                run = server.new_run(name="one")
                path = f"/api/v1/runs/{run}/files/x"
                server.ask("PUT", path, b"abc", expect=201)
                known = service.Acknowledged()
                known.files[path] = service.hashlib.sha256(b"abc").hexdigest()
                self.assertEqual(service.read_back(server, known), [])
                known.files[path] = service.hashlib.sha256(b"other").hexdigest()
                known.parts[path + "y"] = 5
                known.notes[run].add("0123456789abcdef")
                known.samples[run] += 1
                self.assertEqual(len(service.read_back(server, known)), 4)
            finally:
                self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=["service_load_test"])
