// A running `rankscope serve`, and what the command line says of the same traces.
"use strict";

const {execFileSync, spawn} = require("child_process");
const readline = require("readline");

class Server {
  constructor(program, data, options = []) {
    this.program = program;
    this.data = data;
    this.options = options;
    this.listen = "127.0.0.1:0";
  }
  async start() {
    this.process = spawn(
      this.program,
      ["serve", "--data", this.data, "--listen", this.listen, "--quiet", ...this.options],
      {stdio: ["ignore", "pipe", "inherit"]},
    );
    this.address = await new Promise((resolve, reject) => {
      readline.createInterface({input: this.process.stdout}).once("line", resolve);
      this.process.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    // Started again, it is where it was.
    this.listen = this.address.replace("http://", "");
  }
  async end(signal) {
    const gone = new Promise((resolve) => {
      this.process.removeAllListeners("exit");
      this.process.once("exit", resolve);
    });
    this.process.kill(signal);
    await gone;
  }
  run(...words) {
    return execFileSync(this.program, words, {encoding: "utf8", stdio: ["ignore", "pipe", "pipe"]}).trim();
  }
  push(folder, name, ...words) {
    return this.run("push", folder, "--server", this.address, "--name", name, "--wait", ...words);
  }
}

module.exports = {Server};
