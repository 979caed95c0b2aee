// SPDX-License-Identifier: Apache-2.0
// The conformance suite of MCP speaks HTTP, railtop mcp standard input and output. This passes each message
// from one to the other and changes none: a process for each session.
//   node bridge.mjs PORT PROGRAM WORD...
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [port, program, ...words] = process.argv.slice(2);
const sessions = new Map();

function begin() {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(line);
    waiting.delete(message.id);
  });
  return { child, waiting };
}

createServer((request, response) => {
  let body = "";
  const end = (code, text, headers = {}) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(text);
  };
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    const name = request.headers["mcp-session-id"];
    if (request.method === "DELETE") {
      sessions.get(name)?.child.stdin.end();
      sessions.delete(name);
      return end(200, "");
    }
    // It sends nothing by itself.
    if (request.method !== "POST") return end(405, "");
    const message = JSON.parse(body);
    const key = message.method === "initialize" ? randomUUID() : name;
    if (message.method === "initialize") sessions.set(key, begin());
    const session = sessions.get(key);
    if (!session) return end(404, "");
    if (message.id === undefined) {
      session.child.stdin.write(JSON.stringify(message) + "\n");
      return end(202, "");
    }
    session.waiting.set(message.id, (line) => end(200, line, { "mcp-session-id": key }));
    session.child.stdin.write(JSON.stringify(message) + "\n");
  });
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
