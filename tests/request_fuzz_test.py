"""The server bears requests of all sorts: no 5xx, no crash, every error with its reason, no growth of memory, nothing left over."""

import os
import tempfile
import unittest

import program  # pylint: disable=unused-import
from request_fuzzer import Fault, Fuzzer, Request, check


class RequestFuzz(unittest.TestCase):
    def test_requests_of_a_fixed_seed(self):
        with tempfile.TemporaryDirectory() as folder:
            fuzzer = Fuzzer(os.path.join(folder, "data"), seed=7, computing=0.01)
            try:
                fuzzer.prepare()
                told = fuzzer.run(3000)
            finally:
                if fuzzer.server.process.poll() is None:
                    fuzzer.server.kill()
        self.assertEqual(fuzzer.faults, [])
        self.assertEqual(told["requests"], 3000)
        # They reach what the server does, not only its refusals.
        for status, least in ((200, 500), (201, 50), (204, 50), (400, 100), (404, 100), (405, 10)):
            self.assertGreaterEqual(told["statuses"].get(status, 0), least, told["statuses"])

    def test_what_is_a_fault(self):
        fields = {"content-type": "application/json"}
        request = Request(b"GET / HTTP/1.1\r\n\r\n")
        good = b'{"error":{"code":"bad_request","message":"why"}}'
        check(request, (400, fields, good))
        check(Request(b"GET / HTTP/1.1\r\nTransfer-Encoding: x\r\n\r\n"), (501, fields, good))
        for answer in (
            (500, fields, good),
            (501, fields, good),
            (503, fields, good),
            (400, fields, b"why"),
            (404, fields, b'{"error":{"code":"x","message":""}}'),
            (404, fields, b'{"error":"x"}'),
            (200, fields, b"{"),
        ):
            with self.assertRaises(Fault, msg=str(answer)):
                check(request, answer)


if __name__ == "__main__":
    unittest.main(argv=["request_fuzz_test"])
