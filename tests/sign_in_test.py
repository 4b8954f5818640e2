"""People sign in at a provider of OpenID Connect: the real one of npm (oidc-provider), and one that forges, lies, is slow or away."""

import hashlib
import hmac
import json
import os
import tempfile
import threading
import time
import unittest
import urllib.parse

import program
from cluster import server as cluster_server
from postgres import Postgres
from server import Server
from sign_in import CALLBACK, RULES, Browser, FakeProvider, RealProvider, RsaKey, base64url
from waiting import until


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def with_query(url, **changed):
    parts = urllib.parse.urlsplit(url)
    query = {**dict(urllib.parse.parse_qsl(parts.query)), **changed}
    return parts._replace(query=urllib.parse.urlencode({k: v for k, v in query.items() if v is not None})).geturl()


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.rules = write(self.folder.name, "rules.toml", RULES)
        self.tokens = os.path.join(self.folder.name, "tokens")
        self.token = program.run("token", "read", "--team", "search", "--name", "bob", "--file", self.tokens)[0].strip()

    def serve(self, provider, *arguments, data="data", client="rankscope-public", tokens=True):
        server = Server(
            os.path.join(self.folder.name, data),
            *("--oidc-issuer", provider.issuer, "--oidc-client-id", client, "--oidc-rules", self.rules),
            *(("--token-file", self.tokens) if tokens else ()),
            *arguments,
        )
        self.addCleanup(server.stop)
        return server


class AtTheRealProvider(Folder):
    @classmethod
    def setUpClass(cls):
        cls.provider = RealProvider(
            {"ada": {"groups": ["staff", "admins"]}, "bob": {"groups": ["team-search"]}, "eve": {"groups": ["guests"]}}
        )
        cls.addClassCleanup(cls.provider.stop)

    def test_a_person_signs_in_and_out(self):
        secret = write(self.folder.name, "secret", "a:se cret\n")
        server = self.serve(self.provider, "--oidc-client-secret-file", secret, client="rankscope")
        browser = Browser()
        self.assertEqual(browser.session(server)[0], 401)
        ways = json.loads(browser.ask(f"{server.address}/api/v1/session/ways").body)
        self.assertEqual(
            ways,
            {
                "provider": {"name": self.provider.issuer.split("//")[1], "url": "/api/v1/session/oidc"},
                "token": True,
                "name": None,
            },
        )
        begun = browser.begin(server, "/runs/0123456789abcdef?view=a%20b#x")
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(begun).query))
        self.assertEqual(query["scope"], "openid email groups")
        self.assertEqual(query["code_challenge_method"], "S256")
        back = browser.through_forms(begun, "bob")
        answer = browser.ask(back)
        self.assertEqual(answer.status, 303, answer.body)
        self.assertEqual(answer.field("location"), "/runs/0123456789abcdef?view=a%20b#x")
        cookie = next(value for name, value in answer.fields if value.startswith("rankscope="))
        self.assertIn("HttpOnly; SameSite=Strict", cookie)
        self.assertEqual(
            browser.session(server),
            (200, {"name": "bob@example.org", "role": "upload", "team": "search", "needs_token": True}),
        )
        self.assertIn("bob@example.org (bob) as upload of team search", server.events("sign-in")[0])
        # The role is what it says.
        self.assertEqual(browser.ask(f"{server.address}/api/v1/runs").status, 200)
        # No state counts twice.
        answer = browser.ask(back)
        self.assertEqual(answer.status, 403)
        self.assertIn("not under way (any more)", answer.sentence)
        # Out again, for this session alone.
        cookies = {"Cookie": "rankscope=" + browser.cookies[server.address.split("//")[1], "rankscope"]}
        self.assertEqual(server.ask("DELETE", "/api/v1/session", headers=cookies)[0], 204)
        self.assertEqual(browser.session(server)[0], 401)
        log = "".join(server.lines)
        for secret in (query["state"], query["nonce"], "a:se cret", cookies["Cookie"].split("=")[1]):
            self.assertNotIn(secret, log)

    def test_public_clients_and_es256(self):
        for client in ("rankscope-public", "rankscope-es"):
            with self.subTest(client=client):
                server = self.serve(self.provider, "--oidc-name", "Our <IdP>", client=client, data=client)
                browser = Browser()
                back = browser.through_forms(browser.begin(server), "ada")
                self.assertEqual(browser.ask(back).status, 303)
                self.assertEqual(
                    browser.session(server)[1],
                    {"name": "ada@example.org", "role": "admin", "team": "*", "needs_token": True},
                )

    def test_whom_no_rule_lets_in_reads_why(self):
        server = self.serve(self.provider)
        browser = Browser()
        answer = browser.ask(browser.through_forms(browser.begin(server), "eve"))
        self.assertEqual(answer.status, 403)
        self.assertIn("groups: guests", answer.sentence)
        self.assertIn("claim = &quot;groups&quot; and value = &quot;guests&quot;", answer.sentence)
        self.assertEqual(browser.session(server)[0], 401)
        self.assertIn("no rule", server.events("sign-in-refused")[0])

    def test_a_code_of_another_sign_in_is_none(self):
        # Who steals a code puts it behind a sign-in of his own: the provider wants the verifier that it was asked with.
        server = self.serve(self.provider)
        victim, thief = Browser(), Browser()
        stolen = dict(
            urllib.parse.parse_qsl(urllib.parse.urlsplit(victim.through_forms(victim.begin(server), "ada")).query)
        )
        own = thief.through_forms(thief.begin(server), "eve")
        answer = thief.ask(with_query(own, code=stolen["code"]))
        self.assertEqual(answer.status, 403)
        self.assertIn("invalid_grant", answer.sentence)
        self.assertEqual(thief.session(server)[0], 401)
        # Somebody who is made to follow the end of another one's sign-in does not become that one.
        answer = victim.ask(thief.through_forms(thief.begin(server), "eve"))
        self.assertEqual(answer.status, 403)
        self.assertIn("Another browser began this sign-in", answer.sentence)
        self.assertEqual(victim.session(server)[0], 401)

    def test_the_provider_says_who_it_is(self):
        server = self.serve(self.provider)
        browser = Browser()
        for issuer, words in ((None, "does not say of which provider"), ("https://evil.test", "evil.test")):
            back = browser.through_forms(browser.begin(server), "ada")
            self.assertIn("&iss=", back)
            answer = browser.ask(with_query(back, iss=issuer))
            self.assertEqual(answer.status, 403)
            self.assertIn(words, answer.sentence)

    def test_who_ends_it_there_reads_so(self):
        server = self.serve(self.provider)
        browser = Browser()
        form = browser.ask(browser.ask(browser.begin(server)).location)
        aborted = browser.ask(browser.ask(form.url + "/abort").location)
        self.assertIn(CALLBACK, aborted.location)
        answer = browser.ask(aborted.location)
        self.assertEqual(answer.status, 403)
        self.assertIn("access_denied", answer.sentence)

    def test_servers_of_a_cluster_are_one(self):
        postgres = Postgres()
        self.addCleanup(postgres.stop)
        catalogue = postgres.new_database()
        options = ("--oidc-issuer", self.provider.issuer, "--oidc-client-id", "rankscope-public")
        options += ("--oidc-rules", self.rules, "--token-file", self.tokens)
        first, second = (cluster_server(os.path.join(self.folder.name, "data"), catalogue, *options) for _ in range(2))
        self.addCleanup(first.stop)
        self.addCleanup(second.stop)
        browser = Browser()
        back = browser.through_forms(browser.begin(first, "/hosts"), "bob")
        # The same browser comes to the other server: cookies know no ports.
        here, there = (one.address.split("//")[1] for one in (first, second))

        def moved(url):
            for (host, name), value in list(browser.cookies.items()):
                if host in (here, there):
                    browser.cookies[there, name] = browser.cookies[here, name] = value
            return url.replace(here, there)

        answer = browser.ask(moved(back))
        self.assertEqual((answer.status, answer.field("location")), (303, "/hosts"), answer.body)
        self.assertEqual(browser.session(second)[1]["name"], "bob@example.org")
        moved("")
        self.assertEqual(browser.session(first)[1]["name"], "bob@example.org")
        self.assertEqual(browser.ask(back).status, 403)  # once, wherever
        # With other rules it is another person's word.
        self.rules = write(self.folder.name, "other.toml", RULES.replace("team-*", "teams-*"))
        other = cluster_server(
            os.path.join(self.folder.name, "data"), catalogue, *options[:5], self.rules, "--token-file", self.tokens
        )
        self.addCleanup(other.stop)
        browser.cookies[other.address.split("//")[1], "rankscope"] = browser.cookies[here, "rankscope"]
        self.assertEqual(browser.session(other)[0], 401)
        self.assertEqual(browser.session(first)[0], 200)


class AtOneThatLies(Folder):
    def setUp(self):
        super().setUp()
        self.provider = FakeProvider()
        self.addCleanup(self.provider.stop)
        self.server = self.serve(self.provider)

    def signed_in(self, browser=None, **changed):
        browser = browser or Browser()
        back = self.provider.through(browser.begin(self.server))
        answer = browser.ask(with_query(back, **changed))
        self.assertEqual(browser.session(self.server)[0], 200 if answer.status == 303 else 401)
        return answer

    def refused(self, words, status=403, **changed):
        answer = self.signed_in(**changed)
        self.assertEqual(answer.status, status, answer.body)
        self.assertIn(words, answer.sentence)

    def claiming(self, **claims):
        self.provider.token = lambda sound: self.provider.key.token({**sound, **claims})

    def test_a_sound_one_is_taken(self):
        self.assertEqual(self.signed_in().status, 303)

    def test_forgeries(self):
        key, provider = self.provider.key, self.provider
        other = RsaKey(provider.folder.name)
        self.assertNotEqual(other.jwk["n"], key.jwk["n"])
        provider.token = other.token
        self.refused("its signature is not the provider&#x27;s".replace("&#x27;", "'"))

        def unsigned(claims):
            return ".".join([base64url(b'{"alg":"none"}'), base64url(json.dumps(claims).encode()), ""])

        provider.token = unsigned
        self.refused("is signed by 'none'", status=502)

        def with_public_key(claims):
            text = base64url(b'{"alg":"HS256","kid":"k1"}') + "." + base64url(json.dumps(claims).encode())
            return text + "." + base64url(hmac.new(key.public_pem, text.encode(), hashlib.sha256).digest())

        provider.token = with_public_key
        self.refused("is signed by 'HS256'", status=502)

        def changed(claims):
            head, _, signature = key.token({**claims, "groups": ["guests"]}).split(".")
            return ".".join([head, base64url(json.dumps(claims).encode()), signature])

        provider.token = changed
        self.refused("its signature is not the provider's")

    def test_tokens_for_others_or_of_another_time(self):
        now = int(time.time())
        self.claiming(aud="another")
        self.refused("another (aud)".replace("another", "&quot;another&quot;"))
        self.claiming(aud=["rankscope-public", "another"])
        self.refused("(azp)")
        self.claiming(azp="another")
        self.refused("'another' asked for it")
        self.claiming(nonce="of another sign-in")
        self.refused("(nonce)")
        self.claiming(iss="http://127.0.0.1:1")
        self.refused("(iss)")
        self.claiming(exp=now - 600)
        self.refused("expired")
        self.claiming(iat=now + 3600)
        self.refused("in the future")
        self.claiming(iat=now - 3600)
        self.refused("before this sign-in began")
        self.claiming(nbf=now + 3600)
        self.refused("(nbf)")

    def test_keys_that_are_not_known(self):
        self.assertEqual(self.signed_in().status, 303)
        new = RsaKey(self.provider.folder.name, "k2")
        self.provider.token = new.token
        for _ in range(3):
            self.refused("'k2'")
        # Whatever tokens say, the provider is not asked for keys again and again.
        self.assertEqual(self.provider.asked.count("/jwks"), 1)
        # A server that begins knows the new one.
        self.provider.keys.append(new)
        self.server = self.serve(self.provider, data="other")
        self.assertEqual(self.signed_in().status, 303)

    def test_states(self):
        browser = Browser()
        back = self.provider.through(browser.begin(self.server))
        self.assertIn("no answer to a sign-in", browser.ask(with_query(back, state="x")).sentence)
        self.assertIn("no answer to a sign-in", browser.ask(with_query(back, state=None)).sentence)
        self.assertIn("not under way", browser.ask(with_query(back, state="A" * 43)).sentence)
        self.assertIn("Another browser", Browser().ask(back).sentence)
        # It was looked at once: whoever had it.
        self.assertIn("not under way", browser.ask(back).sentence)
        # Two tabs of one browser are two sign-ins.
        one, two = (self.provider.through(browser.begin(self.server, to)) for to in ("/hosts", "/fleet"))
        self.assertEqual(browser.ask(two).field("location"), "/fleet")
        self.assertEqual(browser.ask(one).field("location"), "/hosts")

    def test_a_session_that_was_there_ends(self):
        browser = Browser()
        self.signed_in(browser)
        host = self.server.address.split("//")[1]
        before = browser.cookies[host, "rankscope"]
        self.signed_in(browser)
        self.assertNotEqual(browser.cookies[host, "rankscope"], before)
        self.server.ask("GET", "/api/v1/session", headers={"Cookie": f"rankscope={before}"}, expect=401)

    def test_addresses_elsewhere_are_not_gone_to(self):
        for to in (
            "https://evil.test/",
            "//evil.test/",
            "/\\evil.test/",
            "\\\\evil.test",
            "/\t/evil.test",
            "/a\r\nSet-Cookie: x=y",
            "javascript:alert(1)",
            "/api/v1/session/oidc",
            "runs",
            "/" + "a" * 3000,
            "/a/../..//evil.test",
        ):
            with self.subTest(to=to):
                browser = Browser()
                self.assertEqual(
                    browser.ask(self.provider.through(browser.begin(self.server, to))).field("location"), "/"
                )

    def test_what_the_provider_says_is_shown_as_text(self):
        self.refused(
            "access_denied (&lt;script&gt;alert(1)&lt;/script&gt;)",
            error="access_denied",
            error_description="<script>alert(1)</script>",
            code=None,
        )
        self.refused("has no code", code=None)

    def test_one_that_is_another_or_talks_nonsense(self):
        document = self.provider.document()
        wrong = (
            ({"issuer": "http://127.0.0.1:1"}, "letter by letter"),
            ({"token_endpoint": "http://id.test/token"}, "https://"),
            ({"jwks_uri": "file:///etc/passwd"}, "https://"),
            ({"authorization_endpoint": None}, "authorization_endpoint"),
        )
        for number, (change, words) in enumerate(wrong):
            with self.subTest(change=change):
                page = json.dumps({**document, **change}).encode()
                self.provider.pages["/.well-known/openid-configuration"] = page
                server = self.serve(self.provider, data=f"data{number}")
                answer = Browser().ask(server.address + "/api/v1/session/oidc")
                self.assertEqual(answer.status, 502)
                self.assertIn(words, answer.sentence)
                self.assertIn("by a token works", answer.sentence)
                server.ask("POST", "/api/v1/session", {"token": self.token}, expect=201)

    def test_huge_answers_end_where_they_are_too_large(self):
        self.provider.pages["/token"] = b'{"id_token":"' + b"a" * (4 << 20) + b'"}'
        self.refused("over 1048576 bytes", status=502)
        self.provider.pages["/token"] = b'{"id_token":"' + b"a" * 100_000 + b'"}'
        self.refused("65536", status=502)
        self.provider.pages["/token"] = b"[" * 100_000
        self.refused("has no ID token", status=502)
        del self.provider.pages["/token"]
        self.provider.pages["/jwks"] = json.dumps({"keys": [self.provider.key.jwk] * 101}).encode()
        self.refused("101 keys", status=502)
        del self.provider.pages["/jwks"]
        self.assertEqual(self.signed_in().status, 303)

    def test_a_slow_one_holds_up_nobody_else(self):
        goes_on = threading.Event()
        self.addCleanup(goes_on.set)
        waiting = []

        def wait():
            waiting.append(1)
            goes_on.wait()

        self.provider.pages["/token"] = wait
        backs = []
        for _ in range(6):
            browser = Browser()
            backs.append((browser, self.provider.through(browser.begin(self.server))))
        answers = []
        threads = [
            threading.Thread(target=lambda browser, back: answers.append(browser.ask(back)), args=pair)
            for pair in backs
        ]
        for thread in threads:
            thread.start()
        until(lambda: len(waiting) == 4, "requests to the provider")
        # All that may wait for it do; everybody else is answered.
        bearer = {"Authorization": f"Bearer {self.token}"}
        for _ in range(50):
            self.server.ask("GET", "/api/v1/runs", headers=bearer, expect=200)
        self.server.ask("POST", "/api/v1/session", {"token": self.token}, expect=201)
        self.assertEqual(answers, [])
        # And those are told, when it has had its time.
        until(lambda: len(answers) >= 4, "answers to those who waited")
        self.assertEqual({answer.status for answer in answers[:4]}, {503})
        self.assertIn("does not answer", answers[0].sentence)
        goes_on.set()
        for thread in threads:
            thread.join()

    def test_one_that_is_away_leaves_tokens(self):
        self.provider.stop()
        server = self.serve(self.provider, data="other")  # it starts without the provider
        answer = Browser().ask(server.address + "/api/v1/session/oidc")
        self.assertEqual(answer.status, 503)
        self.assertIn("does not answer", answer.sentence)
        server.ask("POST", "/api/v1/session", {"token": self.token}, expect=201)

    def test_without_tokens_nobody_else_is_let_in(self):
        self.server = self.serve(self.provider, data="other", tokens=False)
        self.server.ask("GET", "/api/v1/runs", expect=401)
        self.server.ask("POST", "/api/v1/session", {"token": ""}, expect=401)
        self.assertFalse(json.loads(Browser().ask(self.server.address + "/api/v1/session/ways").body)["token"])
        self.assertEqual(self.signed_in().status, 303)

    def test_behind_tls_that_others_end(self):
        server = self.serve(self.provider, "--public-url", "https://rankscope.test", data="other")
        browser = Browser()
        answer = browser.ask(server.address + "/api/v1/session/oidc")
        redirect = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.location).query))["redirect_uri"]
        self.assertEqual(redirect, "https://rankscope.test" + CALLBACK)
        cookie = answer.field("set-cookie")
        self.assertTrue(cookie.startswith("__Host-rankscope-sign-in="), cookie)
        self.assertTrue(cookie.endswith("; Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure"), cookie)
        back = self.provider.through(answer.location).replace("https://rankscope.test", server.address)
        answer = browser.ask(back)
        self.assertEqual(answer.status, 303)
        self.assertIn("; Secure", answer.field("set-cookie"))
        # Its pages are those of that address, and of no other.
        headers = {"Host": "rankscope.test", "Cookie": answer.field("set-cookie").split(";")[0]}
        for origin, status in (("https://evil.test", 403), ("https://rankscope.test", 204)):
            told = server.ask("DELETE", "/api/v1/session", headers={**headers, "Origin": origin})
            self.assertEqual(told[0], status, told)


class Options(Folder):
    def test_say_what_is_missing(self):
        def problem(*arguments, expect=2):
            return program.run("serve", "--data", os.path.join(self.folder.name, "d"), *arguments, expect=expect)[1]

        issuer = ("--oidc-issuer", "https://id.test")
        self.assertIn("--oidc-client-id", problem(*issuer))
        self.assertIn("--oidc-rules", problem(*issuer, "--oidc-client-id", "a"))
        self.assertIn("--oidc-issuer", problem("--oidc-client-id", "a"))
        self.assertIn("https://", problem("--oidc-issuer", "http://id.test"))
        sound = (*issuer, "--oidc-client-id", "a", "--oidc-rules", self.rules)
        self.assertIn("--public-url", problem(*sound, "--public-url", "https://a.test/x"))
        self.assertIn(
            "has no secret",
            problem(*sound, "--oidc-client-secret-file", write(self.folder.name, "secret", "\n"), expect=1),
        )
        wrong = write(self.folder.name, "wrong.toml", '[[rule]]\nclaim = "groups"\n')
        self.assertIn(f"{wrong}: line 1", problem(*sound[:-1], wrong))
        os.chmod(self.rules, 0o666)
        self.assertIn("others may write to it", problem(*sound, expect=1))


if __name__ == "__main__":
    unittest.main(argv=["sign_in_test"])
