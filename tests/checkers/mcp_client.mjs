// SPDX-License-Identifier: Apache-2.0
// `railtop mcp` with the client of the protocol's own SDK, over standard input and output as an assistant
// starts it: all tools, their schemas, an answer of each, and errors. The client refuses what is not of
// the protocol, and results that are not of the tool's own schema. Prints TAP lines.
//   node mcp_client.mjs MODULES PROGRAM WORD...
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, program, ...words] = process.argv.slice(2);
const require = createRequire(pathToFileURL(modules + "/"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");

let failed = 0;
const report = (ok, what) => {
  failed += !ok;
  console.log(`${ok ? "ok" : "not ok"} - ${what}`);
};
const client = new Client({ name: "checker", version: "1" });
await client.connect(new StdioClientTransport({ command: program, args: words, stderr: "inherit" }));
const { tools } = await client.listTools();
report(tools.length > 0, `${tools.length} tools are listed`);
report(
  tools.every((t) => t.annotations?.readOnlyHint === true && t.inputSchema.type === "object" && t.description),
  "each is read-only, has a schema of its input and a description",
);
// What a tool needs; each is asked with it, and those that need something also without.
const given = {
  list_findings: {},
  list_views: {},
  query_rows: { view: "devices" },
  trace: { place: "leaf01:swp1" },
  chart_data: { place: "leaf01:swp1", counter: "rx_bytes" },
  runbook_checks: { place: "leaf01:swp1" },
};
const ask = async (name, args) => {
  try {
    const result = await client.callTool({ name, arguments: args });
    return { fine: !result.isError, text: result.content?.[0]?.text ?? "" };
  } catch (error) {
    return { fine: false, text: error.message, code: error.code };
  }
};
for (const tool of tools) {
  const answer = await ask(tool.name, given[tool.name]);
  report(given[tool.name] && answer.fine && answer.text, `${tool.name} answers: ${answer.text.slice(0, 60).replaceAll("\n", " ")}`);
  if (!tool.inputSchema.required?.length) continue;
  const empty = await ask(tool.name, {});
  report(!empty.fine && empty.text, `${tool.name} without arguments: ${empty.text.slice(0, 80)}`);
}
try {
  const result = await client.callTool({ name: "no_such_tool", arguments: {} });
  report(result.isError === true, "an unknown tool is an error");
} catch (error) {
  report(error.code === -32602 || error.code === -32601, "an unknown tool is an error of the protocol");
}
await client.close();
process.exit(failed ? 1 : 0);
