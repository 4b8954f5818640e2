"""Sign-in at a provider as tests drive it: a browser that keeps cookies and follows no redirect by itself, the real provider of
tests/oidc/provider.mjs, and one that tells whatever a test wants."""

import base64
import hashlib
import http.client
import http.server
import json
import os
import re
import subprocess
import tempfile
import threading
import time
import urllib.parse

import program
from waiting import LIMIT_S

PROVIDER = os.path.join(program.HERE, "oidc", "provider.mjs")
CALLBACK = "/api/v1/session/oidc/callback"
RULES = """
scopes = ["email", "groups"]

[[rule]]
claim = "groups"
value = "admins"
role = "admin"
team = "*"

[[rule]]
claim = "groups"
value = "team-*"
role = "upload"
team = "{rest}"
"""


class Answer:
    def __init__(self, url, answer):
        self.url, self.status, self.body = url, answer.status, answer.read().decode()
        self.fields = answer.getheaders()

    def field(self, name):
        return next((value for key, value in self.fields if key.lower() == name.lower()), None)

    @property
    def location(self):
        return urllib.parse.urljoin(self.url, self.field("location"))

    @property
    def sentence(self):
        """What a page of the server says went wrong."""
        found = re.search(r'role="alert">(.*?)</p>', self.body, re.DOTALL)
        assert found, self.body
        return found[1]


class Browser:
    def __init__(self):
        self.cookies = {}  # (host and port, name) -> value

    def ask(self, url, form=None, headers=None):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=LIMIT_S)
        cookies = "; ".join(f"{name}={value}" for (host, name), value in self.cookies.items() if host == parts.netloc)
        sent = {**({"Cookie": cookies} if cookies else {}), **(headers or {})}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST" if body is not None else "GET", path, body, sent)
        answer = Answer(url, connection.getresponse())
        connection.close()
        for name, value in answer.fields:
            if name.lower() != "set-cookie":
                continue
            key, _, rest = value.partition("=")
            text = rest.split(";")[0]
            is_gone = "1970" in value or "Max-Age=0" in value
            if is_gone:
                self.cookies.pop((parts.netloc, key), None)
            else:
                self.cookies[parts.netloc, key] = text
        return answer

    def begin(self, server, to="/"):
        """Where the server sends it."""
        answer = self.ask(f"{server.address}/api/v1/session/oidc?{urllib.parse.urlencode({'to': to})}")
        assert answer.status == 303, (answer.status, answer.body)
        return answer.location

    def through_forms(self, url, person):
        """Signs in at the real provider; the address with which that sends the browser back."""
        for _ in range(10):
            if CALLBACK in url:
                return url
            answer = self.ask(url)
            if answer.status != 303:
                assert answer.status == 200, (answer.status, answer.body)
                prompt = "login" if 'name="login"' in answer.body else "consent"
                answer = self.ask(
                    re.search(r'action="([^"]+)"', answer.body)[1],
                    {"prompt": prompt, **({"login": person, "password": "any"} if prompt == "login" else {})},
                )
                assert answer.status == 303, (answer.status, answer.body)
            url = answer.location
        raise AssertionError(f"the provider goes on and on: {url}")

    def session(self, server):
        """Whom the server takes it for: (status, what it says)."""
        answer = self.ask(f"{server.address}/api/v1/session")
        return answer.status, json.loads(answer.body)


class RealProvider:
    def __init__(self, people):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["node", PROVIDER, json.dumps(people)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.issuer = self.process.stdout.readline().decode().strip()
        assert self.issuer, "the provider did not start: ./dev setup"

    def stop(self):
        self.process.kill()
        self.process.wait(timeout=LIMIT_S)
        self.process.stdout.close()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class RsaKey:
    """Made and used by OpenSSL's own program."""

    def __init__(self, folder, name="k1"):
        self.name = name
        self.path = os.path.join(folder, f"{name}-{len(os.listdir(folder))}.pem")
        self.openssl("genrsa", "-out", self.path, "2048")
        modulus = self.openssl("rsa", "-in", self.path, "-noout", "-modulus").decode().strip().split("=")[1]
        self.public_pem = self.openssl("rsa", "-in", self.path, "-pubout")
        self.jwk = {"kty": "RSA", "kid": name, "use": "sig", "n": base64url(bytes.fromhex(modulus)), "e": "AQAB"}

    @staticmethod
    def openssl(*arguments, data=None):
        done = subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def token(self, claims, **header):
        text = base64url(json.dumps({"alg": "RS256", "kid": self.name, **header}).encode())
        text += "." + base64url(json.dumps(claims).encode())
        return text + "." + base64url(self.openssl("dgst", "-sha256", "-sign", self.path, data=text.encode()))


class FakeProvider:
    """Says what `token(claims)` makes of sound claims, and in place of any document what `pages` has: bytes, or a function."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.key = RsaKey(self.folder.name)
        self.keys = [self.key]
        self.token = self.key.token
        self.pages = {}
        self.asked = []
        self.nonce = {}  # by code
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

            def do_GET(self):  # pylint: disable=invalid-name
                fake.answer(self, b"")

            def do_POST(self):  # pylint: disable=invalid-name
                fake.answer(self, self.rfile.read(int(self.headers["content-length"])))

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def claims(self, nonce, **more):
        now = int(time.time())
        return {
            "iss": self.issuer,
            "aud": "rankscope-public",
            "sub": "7",
            "email": "ada@example.org",
            "groups": ["admins"],
            "nonce": nonce,
            "iat": now,
            "exp": now + 300,
            **more,
        }

    def document(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/auth",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
        }

    def answer(self, handler, body):
        path = handler.path.split("?")[0]
        self.asked.append(path)
        page = self.pages.get(path)
        if callable(page):
            page = page()
        if page is None and path == "/.well-known/openid-configuration":
            page = json.dumps(self.document()).encode()
        if page is None and path == "/jwks":
            page = json.dumps({"keys": [key.jwk for key in self.keys]}).encode()
        if page is None and path == "/token":
            form = dict(urllib.parse.parse_qsl(body.decode()))
            claims = self.claims(self.nonce[form["code"]])
            page = json.dumps({"access_token": "a", "token_type": "Bearer", "id_token": self.token(claims)}).encode()
        try:
            handler.send_response(200 if page is not None else 404)
            handler.end_headers()
            handler.wfile.write(page or b"")
        except OSError:
            pass  # who asked has gone

    def through(self, url):
        """What a person who signs in there comes back with."""
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        code = hashlib.sha256(asked["state"].encode()).hexdigest()
        self.nonce[code] = asked["nonce"]
        return asked["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": asked["state"]})
