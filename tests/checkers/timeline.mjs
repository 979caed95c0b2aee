// SPDX-License-Identifier: Apache-2.0
// A file of `railtop timeline` read by the engine of Chrome's developer tools, which reads the trace events
// that chrome://tracing and Perfetto read. Prints TAP lines.
//   node timeline.mjs MODULES FILE
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, file] = process.argv.slice(2);
// The engine is made for a browser.
globalThis.DOMRect ??= class {};
const { TraceModel, Handlers, Helpers } = await import(
  pathToFileURL(`${modules}/@paulirish/trace_engine/models/trace/trace.js`).href
);
let failed = 0;
const report = (ok, what) => {
  failed += !ok;
  console.log(`${ok ? "ok" : "not ok"} - ${what}`);
};
const { traceEvents } = JSON.parse(fs.readFileSync(file, "utf8"));
const of = (phase) => traceEvents.filter((e) => e.ph === phase);

const model = new TraceModel.Model({ UserTimings: Handlers.ModelHandlers.UserTimings });
await model.parse(traceEvents, { isFreshRecording: false, isCPUProfile: false, metadata: {} });
const { Meta } = model.parsedTrace(0).data;
report(Meta !== undefined, `the engine reads ${traceEvents.length} events`);
const named = of("M").filter((e) => e.name === "process_name").map((e) => e.args.name);
const heard = [...Meta.processNames.values()].map((e) => e.args.name);
report(named.length > 0 && named.every((name) => heard.includes(name)), `its tracks: ${heard.join(", ")}`);
const spans = [...of("b"), ...of("e")];
const matched = Helpers.Trace.createMatchedSortedSyntheticEvents(spans);
report(of("b").length > 0 && matched.length === of("b").length && matched.every((e) => e.dur >= 0), `${matched.length} spans, each with its end`);
report(of("C").length > 0 && of("C").every((e) => Object.values(e.args).every(Number.isFinite)), `${of("C").length} values of counters`);
process.exit(failed ? 1 : 0);
