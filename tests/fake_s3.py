"""An S3 store in memory for tests: it checks every signature by Debian-independent code of its own (hmac and hashlib), and misbehaves when
told to. What it shares with the program is the specification alone."""

import base64
import contextlib
import datetime
import email.utils
import hashlib
import hmac
import http.server
import re
import socket
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

KEY_ID = "AKIDFAKE"
SECRET = "secret/of+the=fake"
REGION = "us-east-1"


def quote(text, safe=""):
    return urllib.parse.quote(text, safe=safe + "-._~")


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature_of(method, raw_path, query, headers, signed, payload, secret, region, time_text):
    """The signature of a request as it came: `raw_path` is still encoded, `query` decoded pairs."""
    canonical_query = "&".join(f"{a}={b}" for a, b in sorted((quote(a), quote(b)) for a, b in query))
    canonical_headers = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in signed)
    path = quote(urllib.parse.unquote(raw_path), safe="/")
    request = "\n".join([method, path, canonical_query, canonical_headers, ";".join(signed), payload])
    scope = f"{time_text[:8]}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", time_text, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in (time_text[:8], region, "s3", "aws4_request"):
        key = digest(key, part)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Fault:
    """What happens to requests that `matches` (of method, path and query) picks, `count` times."""

    def __init__(self, kind, matches=lambda method, path, query: True, count=1, **values):
        self.kind, self.matches, self.left, self.values = kind, matches, count, values


class FakeS3:
    """`buckets` holds {bucket: {key: (bytes, seconds)}}. Thread-safe by `lock`."""

    def __init__(self, *buckets, tls=None):
        self.buckets = {name: {} for name in buckets}
        self.uploads = {}
        self.faults = []
        self.requests = []  # (method, path, query)
        self.refused = []  # why signatures were
        self.skew_s = 0  # of its clock
        self.hidden = lambda key: False  # from lists
        self.knows_checksums = True
        self.checksums = {}  # (bucket, key): of what came with one
        self.lock = threading.RLock()
        self.connections = set()
        self.tls = tls  # an ssl.SSLContext
        self.server = None
        self.start()

    def start(self, port=0):
        fake = self

        class Handler(RequestHandler):
            store = fake

        self.server = Listener(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        if self.tls:
            self.server.socket = self.tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.port = self.server.server_address[1]
        self.endpoint = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
        self.is_up = True

    def stop(self):
        """As if it were away: connections are refused. `start(port)` brings it back with what it had."""
        self.is_up = False
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            for connection in self.connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self.connections.clear()

    def now(self):
        return time.time() + self.skew_s

    def fail(self, kind, **values):
        with self.lock:
            self.faults.append(Fault(kind, **values))

    def fault_of(self, method, path, query):
        with self.lock:
            for fault in self.faults:
                if fault.left > 0 and fault.matches(method, path, query):
                    fault.left -= 1
                    return fault
        return None

    def count(self, method, within=""):
        with self.lock:
            return sum(1 for one, path, _ in self.requests if one == method and within in path)

    def keys(self, bucket, prefix=""):
        with self.lock:
            return sorted(key for key in self.buckets[bucket] if key.startswith(prefix))


class Listener(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Connections that are reset are what some tests are about."""


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store = None

    def setup(self):
        super().setup()
        with self.store.lock:
            self.store.connections.add(self.connection)

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return email.utils.formatdate(self.store.now() if timestamp is None else timestamp, usegmt=True)

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        if "Content_Length" not in headers and status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code):
        # What follows of a body that was not read is no request.
        self.close_connection = True
        self.answer(status, f"<Error><Code>{code}</Code><Message>as told</Message></Error>".encode())

    def handle_one(self):
        raw_path, _, raw_query = self.path.partition("?")
        query = urllib.parse.parse_qsl(raw_query, keep_blank_values=True)
        path = urllib.parse.unquote(raw_path)
        names = dict(query)
        with self.store.lock:
            self.store.requests.append((self.command, path, names))
        length = int(self.headers.get("Content-Length") or 0)
        fault = self.store.fault_of(self.command, path, names)
        if fault and fault.kind == "reset":
            # After a part of what comes.
            self.rfile.read(min(length, fault.values.get("after", 0)))
            self.close_connection = True
            self.connection.close()
            return
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        if fault and fault.kind == "status":
            self.refuse(fault.values["status"], fault.values.get("code", ""))
            return
        why = self.wrong_signature(raw_path, query, body)
        if why:
            with self.store.lock:
                self.store.refused.append(why)
            self.refuse(403, why)
            return
        bucket, _, key = path.lstrip("/").partition("/")
        with self.store.lock:
            if bucket not in self.store.buckets:
                self.refuse(404, "NoSuchBucket")
                return
            objects = self.store.buckets[bucket]
        getattr(self, f"on_{self.command.lower()}")(objects, bucket, key, names, body, fault)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = handle_one

    def wrong_signature(self, raw_path, query, body):
        """S3's code of what is wrong, or ""."""
        if "X-Amz-Signature" in dict(query):
            return self.wrong_presigned(raw_path, query)
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})",
            self.headers.get("Authorization", ""),
        )
        if not found:
            return "AccessDenied"
        key_id, day, region, signed, signature = found.groups()
        if key_id != KEY_ID:
            return "InvalidAccessKeyId"
        if region != REGION:
            return "AuthorizationHeaderMalformed"
        headers = {name.lower(): value for name, value in self.headers.items()}
        time_text, payload = headers.get("x-amz-date", ""), headers.get("x-amz-content-sha256", "")
        if hashlib.sha256(body).hexdigest() != payload:
            return "XAmzContentSHA256Mismatch"
        signed = signed.split(";")
        must = [
            name
            for name in headers
            if name == "host" or name.startswith("x-amz-") or name in ("range", "if-none-match")
        ]
        if signed != sorted(signed) or not set(must) <= set(signed) or not time_text.startswith(day):
            return "AccessDenied"
        then = datetime.datetime.strptime(time_text, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
        wanted = signature_of(self.command, raw_path, query, headers, signed, payload, SECRET, region, time_text)
        if wanted != signature:
            return "SignatureDoesNotMatch"
        return "RequestTimeTooSkewed" if abs(then - self.store.now()) > 900 else ""

    def wrong_presigned(self, raw_path, query):
        """Of an address that was signed for whoever has it."""
        told = dict(query)
        headers = {name.lower(): value for name, value in self.headers.items()}
        time_text, signed = told["X-Amz-Date"], told["X-Amz-SignedHeaders"].split(";")
        if told["X-Amz-Credential"] != f"{KEY_ID}/{time_text[:8]}/{REGION}/s3/aws4_request":
            return "InvalidAccessKeyId"
        must = {name for name in headers if name == "host" or name.startswith("x-amz-")}
        if signed != sorted(signed) or not must <= set(signed) or not set(signed) <= set(headers):
            return "AccessDenied"
        rest = [pair for pair in query if pair[0] != "X-Amz-Signature"]
        wanted = signature_of(
            self.command, raw_path, rest, headers, signed, "UNSIGNED-PAYLOAD", SECRET, REGION, time_text
        )
        if wanted != told["X-Amz-Signature"]:
            return "SignatureDoesNotMatch"
        then = datetime.datetime.strptime(time_text, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
        return "AccessDenied" if self.store.now() > then + int(told["X-Amz-Expires"]) else ""

    def on_head(self, objects, bucket, key, _names, _body, _fault):
        if key not in objects:
            self.answer(404)
            return
        content, stored = objects[key]
        checksum = self.store.checksums.get((bucket, key)) if "x-amz-checksum-mode" in self.headers else None
        more = {"x_amz_checksum_sha256": checksum} if checksum else {}
        self.answer(200, Content_Length=len(content), Last_Modified=self.date_time_string(stored), **more)

    def on_get(self, objects, bucket, key, names, _body, fault):
        if not key:
            self.list_uploads(bucket) if "uploads" in names else self.list_objects(objects, names)
            return
        if key not in objects:
            self.refuse(404, "NoSuchKey")
            return
        content = objects[key][0]
        if fault and fault.kind == "wrong bytes":
            content = bytes([content[0] ^ 1]) + content[1:] if content else b"x"
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        status, headers = 200, {}
        if found:
            begin = int(found[1])
            if begin >= len(content):
                self.refuse(416, "InvalidRange")
                return
            headers = {"Content_Range": f"bytes {begin}-{len(content) - 1}/{len(content)}"}
            status, content = 206, content[begin:]
        if fault and fault.kind == "truncate":
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.close()
            return
        self.answer(status, content, **headers)

    def on_put(self, objects, bucket, key, names, body, fault):
        if "x-amz-copy-source" in self.headers:
            source = urllib.parse.unquote(self.headers["x-amz-copy-source"]).removeprefix(f"/{bucket}/")
            if source not in objects:
                self.refuse(404, "NoSuchKey")
                return
            with self.store.lock:
                objects[key] = (objects[source][0], self.store.now())
            self.answer(200, b"<CopyObjectResult><ETag>x</ETag></CopyObjectResult>")
            return
        checksum = self.headers.get("x-amz-checksum-sha256") if self.store.knows_checksums else None
        if checksum is not None and checksum != base64.b64encode(hashlib.sha256(body).digest()).decode():
            self.refuse(400, "BadDigest")
            return
        with self.store.lock:
            self.store.checksums[bucket, key] = checksum
            if "uploadId" in names:
                if names["uploadId"] not in self.store.uploads:
                    self.refuse(404, "NoSuchUpload")
                    return
                self.store.uploads[names["uploadId"]][2][int(names["partNumber"])] = body
            elif self.headers.get("If-None-Match") == "*" and key in objects:
                self.refuse(412, "PreconditionFailed")
                return
            else:
                objects[key] = (body, self.store.now())
        if fault and fault.kind == "lost answer":
            self.close_connection = True
            self.connection.close()
            return
        self.answer(200, ETag=f'"{hashlib.md5(body).hexdigest()}"')

    def on_post(self, objects, bucket, key, names, body, fault):
        with self.store.lock:
            if "uploads" in names:
                name = f"upload-{len(self.store.uploads)}-{time.monotonic_ns()}"
                self.store.uploads[name] = (bucket, key, {}, self.store.now())
                self.answer(
                    200,
                    f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId></InitiateMultipartUploadResult>".encode(),
                )
                return
            if fault and fault.kind == "error in 200":
                self.answer(200, b"<Error><Code>InternalError</Code></Error>")
                return
            upload = self.store.uploads.get(names.get("uploadId"))
            if upload is None:
                self.refuse(404, "NoSuchUpload")
                return
            tags = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>([^<]*)</ETag>", body.decode())
            wanted = [(str(n), f"&quot;{hashlib.md5(part).hexdigest()}&quot;") for n, part in sorted(upload[2].items())]
            if tags != wanted or any(len(part) < 5 << 20 for _, part in sorted(upload[2].items())[:-1]):
                self.refuse(400, "InvalidPart")
                return
            objects[key] = (b"".join(part for _, part in sorted(upload[2].items())), self.store.now())
            del self.store.uploads[names["uploadId"]]
        self.answer(200, b"<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")

    def on_delete(self, objects, _bucket, key, names, _body, _fault):
        with self.store.lock:
            if "uploadId" in names:
                self.store.uploads.pop(names["uploadId"], None)
            else:
                objects.pop(key, None)
        self.answer(204)

    @staticmethod
    def iso(seconds):
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def list_objects(self, objects, names):
        with self.store.lock:
            keys = [
                key for key in sorted(objects) if key.startswith(names.get("prefix", "")) and not self.store.hidden(key)
            ]
            keys = [key for key in keys if key > names.get("continuation-token", "")]
            more, keys = keys[7:], keys[:7]  # small pages
            rows = "".join(
                f"<Contents><Key>{escape(key)}</Key><LastModified>{self.iso(objects[key][1])}</LastModified>"
                f"<Size>{len(objects[key][0])}</Size></Contents>"
                for key in keys
            )
        end = (
            f"<IsTruncated>true</IsTruncated><NextContinuationToken>{escape(keys[-1])}</NextContinuationToken>"
            if more
            else ""
        )
        self.answer(200, f"<ListBucketResult>{rows}{end}</ListBucketResult>".encode())

    def list_uploads(self, bucket):
        with self.store.lock:
            rows = "".join(
                f"<Upload><Key>{escape(key)}</Key><UploadId>{name}</UploadId><Initiated>{self.iso(begun)}</Initiated></Upload>"
                for name, (of, key, _, begun) in self.store.uploads.items()
                if of == bucket
            )
        self.answer(200, f"<ListMultipartUploadsResult>{rows}</ListMultipartUploadsResult>".encode())
