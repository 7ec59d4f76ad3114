/** A plan from outside: JSON or text, read and checked, or refused with every place and a hint. */
import { api } from "../../core/api/client";
import type { PlanDocument, Problem } from "../../core/api/types";
import { omitKey } from "../../core/graph/records";
import { isRecord } from "../../core/api/shape";
import { readTests, type Exported } from "./tests";
import { readJson } from "../text/json";
import type { Displays } from "../editor/displays";

const MOST_BYTES = 2 ** 20;

export interface Incoming {
  form: "JSON" | "text";
  /** Null where it is refused. */
  document: PlanDocument | null;
  /** Why it is refused; else what is still wrong with the plan. */
  problems: Problem[];
  /** The tests that come with it; words where they cannot be read. */
  tests: Exported | string | null;
  /** How the values of its nodes are shown, as far as somebody chose that. */
  display: Displays;
}

function refused(form: Incoming["form"], message: string, hint: string): Incoming {
  const problem = { node: null, port: null, code: "no_plan", message, hint, severity: "error" as const };
  return { form, document: null, problems: [{ ...problem, line: 1, column: 1 }], tests: null, display: {} };
}

interface Unwrapped {
  text: string;
  tests: Incoming["tests"];
  display: Displays;
}

/** The server checks them further when they are kept. */
const displaysOf = (value: unknown): Displays => (isRecord(value) ? (value as Displays) : {});

/** What a call of the API answers holds the document in it; so does what was exported with its tests. */
function unwrapped(text: string): Unwrapped {
  const whole = { text, tests: null, display: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return whole;
    const display = displaysOf(value.display);
    if (isRecord(value.document))
      return { text: JSON.stringify(value.document, null, 2), tests: null, display };
    if (value.export === undefined || !isRecord(value.plan)) return whole;
    // The declarations are there for who has no streams; here the streams are those of the server.
    return {
      text: JSON.stringify(omitKey(value.plan, "streams"), null, 2),
      tests: readTests(value),
      display,
    };
  } catch {
    return whole;
  }
}

async function readAs(form: Incoming["form"], { text, tests, display }: Unwrapped): Promise<Incoming> {
  if (form === "text") {
    const { document, problems } = await api.readText(text, null);
    return { form, document, problems, tests, display };
  }
  const { document, problems } = readJson(text);
  return {
    form,
    document,
    problems: document ? (await api.check(document, null)).problems : [...problems],
    tests,
    display,
  };
}

/** Read what somebody gives; a problem of a plan that can be shown does not refuse it. */
export async function readPlan(text: string): Promise<Incoming> {
  const bare = text.replace(/^\ufeff/, "");
  const form = /^\s*[[{"]/.test(bare) ? "JSON" : "text";
  const held = form === "JSON" ? unwrapped(bare) : { text: bare, tests: null, display: {} };
  const bytes = new Blob([held.text]).size;
  if (bytes > MOST_BYTES)
    return refused(
      form,
      `It has ${bytes.toLocaleString("en")} bytes; at most ${MOST_BYTES.toLocaleString("en")} are read.`,
      "Is it a plan? Split it into several.",
    );
  if (bare.includes("\0"))
    return refused(form, "It is not text.", "Choose a plan as JSON, or in the text language.");
  const incoming = await readAs(form, held);
  if (incoming.document && Object.keys(incoming.document.nodes).length === 0)
    return refused(form, "It has no nodes.", "Choose a plan: name = operator(…) in text, or nodes in JSON.");
  return incoming;
}
