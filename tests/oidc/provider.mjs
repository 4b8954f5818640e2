// A certified OpenID provider (npm oidc-provider) on a free port of loopback, for tests: people sign in with any password in the forms
// that it has for development.
//
//   node provider.mjs '{"ada": {"groups": ["admins"]}}'      what it says of each person beside sub and an address
//
// Prints its issuer. Clients: `rankscope` with the secret `a:se cret`, `rankscope-public` without, `rankscope-es` (ES256), each for any
// port of loopback, as programs of this machine are (RFC 8252, section 7.3).
import http from "node:http";
import path from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

const packages = path.join(
  path.dirname(fileURLToPath(import.meta.url)),
  "..",
  "..",
  "third_party",
  "oidc",
  "node_modules",
);
const load = (file) => import(pathToFileURL(path.join(packages, file)).href);
const {default: Provider} = await load("oidc-provider/lib/index.js");
const {exportJWK, generateKeyPair} = await load("jose/dist/node/esm/index.js");

const people = JSON.parse(process.argv[2] ?? "{}");
const keys = await Promise.all(
  ["RS256", "ES256"].map(async (alg) => ({
    ...(await exportJWK((await generateKeyPair(alg, {extractable: true})).privateKey)),
    kid: `key-${alg}`,
    use: "sig",
    alg,
  })),
);
const client = (id, more) => ({
  client_id: id,
  application_type: "native",
  redirect_uris: ["http://127.0.0.1/api/v1/session/oidc/callback"],
  ...more,
});

const server = http.createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      client("rankscope", {client_secret: "a:se cret"}),
      client("rankscope-public", {token_endpoint_auth_method: "none"}),
      client("rankscope-es", {token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256"}),
    ],
    jwks: {keys},
    cookies: {keys: ["of a test"]},
    scopes: ["openid", "email", "groups"],
    claims: {openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"]},
    pkce: {required: () => true},
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({sub, email: `${sub}@example.org`, email_verified: true, ...people[sub]}),
    }),
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
