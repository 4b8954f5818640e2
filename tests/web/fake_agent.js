// An agent as a server sees one: it reports, waits for requests and answers them (docs/agent.md). What its processes do is the test's to say.
"use strict";

class FakeAgent {
  constructor(server, host, {processes = [], devices = [], samples = [], token = null, rack = ""} = {}) {
    Object.assign(this, {
      server,
      host,
      processes,
      devices,
      samples,
      token,
      rack,
      asked: [],
      files: [],
      capture: null,
      isEnding: false,
      stateOf: () => "waiting",
    });
    this.instance = `${host}/${Math.random()}`;
  }

  async post(wait, answers, samples = []) {
    const fields = this.token === null ? {} : {Authorization: `Bearer ${this.token}`};
    const reply = await fetch(`${this.server.address}/api/v1/hosts`, {
      method: "POST",
      headers: {"Content-Type": "application/json", ...fields},
      body: JSON.stringify({
        host: this.host,
        instance: this.instance,
        version: "0.1.0",
        rack: this.rack,
        wait_ms: wait,
        ahead_us: 300,
        rtt_us: 400,
        processes: this.processes,
        devices: this.devices,
        samples,
        answers,
      }),
    });
    if (!reply.ok) throw new Error(`${this.host}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()).requests;
  }

  // Until end(): the last report says what was changed meanwhile within half a second.
  async start() {
    await this.post(0, []);
    // A report has room for so many.
    for (let i = 0; i < this.samples.length; i += 5000) await this.post(0, [], this.samples.slice(i, i + 5000));
    this.loop = (async () => {
      let answers = [];
      while (!this.isEnding) {
        const requests = await this.post(500, answers).catch((error) => {
          if (!this.isEnding) throw error;
          return [];
        });
        answers = requests.map(({id, request}) => ({id, answer: JSON.stringify(this.answer(JSON.parse(request)))}));
      }
    })();
    return this;
  }
  async end() {
    this.isEnding = true;
    await this.loop;
  }

  answer(request) {
    this.asked.push(request);
    switch (request.fn) {
      case "startCapture":
        this.capture = request.id;
        return {id: request.id, warnings: []};
      case "getCapture": {
        const members = this.processes.map((one) => ({
          inside: one.pid,
          rank: one.rank,
          world_size: one.world_size,
          state: this.stateOf(one),
          reason: "",
        }));
        return {members, over: members.every((one) => ["written", "died", "cancelled"].includes(one.state))};
      }
      case "cancelCapture":
        this.stateOf = () => "cancelled";
        return {id: request.id};
      default:
        return {};
    }
  }

  // What an agent sends when its processes have written.
  async send(name, bytes) {
    const run = this.capture.split(":")[0];
    const reply = await fetch(`${this.server.address}/api/v1/runs/${run}/files/${name}`, {method: "PUT", body: bytes});
    if (!reply.ok) throw new Error(`${name}: ${reply.status} ${await reply.text()}`);
  }
}

// An hour of a host with so many devices, of which the third was held down for twelve minutes and is hot; the last ten minutes of the first are not known.
function anHour(count, watts = 650) {
  const samples = [];
  for (let step = 0; step < 720; ++step) {
    const time = Date.now() - 5000 * step;
    for (let i = 0; i < count; ++i) {
      if (i === 0 && step < 120) continue;
      const isSlowed = i === 3 && step >= 60 && step < 204;
      samples.push(
        [time, i, "device_busy", 0.9 - 0.05 * (i % 3)],
        [time, i, "device_power", isSlowed ? watts / 2 : watts + 10 * Math.sin(step / 20 + i)],
        [time, i, "device_temperature", 60 + i + (i === 3 ? 24 : 0)],
        [time, i, "device_slowed", isSlowed ? 1 : 0],
      );
    }
    if (step % 2 === 0)
      samples.push(
        [time, null, "host_cpu_busy", 0.3 + 0.1 * Math.sin(step / 50)],
        [time, null, "host_cpu_pressure", step < 30 ? 0.2 : 0.01],
        [time, null, "made_up", 1],
        [time, null, "host_runnable", "x"],
      );
  }
  return samples;
}

module.exports = {anHour, FakeAgent};
