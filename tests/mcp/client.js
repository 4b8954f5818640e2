// The protocol's own client, over the program's standard input and output or over HTTP: does what it is told and prints what came of it.
//
//   node client.js COMMAND ARGUMENT...      or: node client.js http://ADDRESS [TOKEN]
//
// Standard input: [{"do": "callTool", "with": {...}, "progress": true, "abort": true}, ...]
//
// "do" is a function of the client; "progress" asks for notifications, "abort" cancels at the first of them. One JSON value on
// standard output: {"server": {...}, "steps": [{"result", "error", "progress"}], "stderr"}.
"use strict";

const path = require("path");
const {createRequire} = require("module");

const ofClient = createRequire(path.join(__dirname, "..", "..", "third_party", "mcp", "package.json"));
const {Client} = ofClient("@modelcontextprotocol/sdk/client/index.js");
const {StdioClientTransport} = ofClient("@modelcontextprotocol/sdk/client/stdio.js");
const {StreamableHTTPClientTransport} = ofClient("@modelcontextprotocol/sdk/client/streamableHttp.js");
const {CallToolResultSchema} = ofClient("@modelcontextprotocol/sdk/types.js");

// The one limit of every wait, for what never comes.
const limitMs = 300000;

async function readAll(stream) {
  let text = "";
  for await (const piece of stream) text += piece;
  return text;
}

async function doStep(client, step) {
  const done = {progress: []};
  const stop = new AbortController();
  const options = {timeout: limitMs, signal: stop.signal};
  if (step.progress) {
    options.onprogress = (told) => {
      done.progress.push(told);
      if (step.abort) stop.abort("enough");
    };
  }
  try {
    const before = step.do === "callTool" ? [step.with, CallToolResultSchema] : step.with ? [step.with] : [];
    done.result = await client[step.do](...before, options);
  } catch (error) {
    done.error = {code: error.code, message: String(error.message || error)};
  }
  return done;
}

function transportOf(command, args, onError) {
  if (command.startsWith("http://")) {
    const headers = args.length > 0 ? {Authorization: `Bearer ${args[0]}`} : {};
    return new StreamableHTTPClientTransport(new URL(command), {requestInit: {headers}});
  }
  const transport = new StdioClientTransport({command, args, env: {...process.env}, stderr: "pipe"});
  transport.stderr.on("data", onError);
  return transport;
}

async function main() {
  const [command, ...args] = process.argv.slice(2);
  const steps = JSON.parse(await readAll(process.stdin));
  let told = "";
  const transport = transportOf(command, args, (piece) => (told += piece));
  const client = new Client({name: "rankscope-test", version: "1.0.0"});
  await client.connect(transport, {timeout: limitMs});
  const results = [];
  for (const step of steps) results.push(await doStep(client, step));
  const server = {
    version: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
  };
  await client.close();
  console.log(JSON.stringify({server, steps: results, stderr: told}));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
