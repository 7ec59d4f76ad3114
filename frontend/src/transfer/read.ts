/** A plan from outside: JSON or text, read and checked, or refused with every place and a cure. */
import { api } from "../api/client";
import type { PlanDocument, Problem } from "../api/types";
import { isRecord } from "../graph/shape";
import { readJson } from "../views/json";

export const MOST_BYTES = 2 ** 20;

export interface Incoming {
  form: "JSON" | "text";
  /** Null where it is refused. */
  document: PlanDocument | null;
  /** Why it is refused; else what is still wrong with the plan. */
  problems: Problem[];
}

function refused(form: Incoming["form"], message: string, cure: string): Incoming {
  const problem = { node: null, port: null, code: "no_plan", message, cure, severity: "error" as const };
  return { form, document: null, problems: [{ ...problem, line: 1, column: 1 }] };
}

/** What a call of the API answers holds the document in it. */
function unwrapped(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isRecord(value.document) ? JSON.stringify(value.document, null, 2) : text;
  } catch {
    return text;
  }
}

async function readAs(form: Incoming["form"], text: string): Promise<Incoming> {
  if (form === "text") {
    const { document, problems } = await api.readText(text);
    return { form, document, problems };
  }
  const { document, problems } = readJson(unwrapped(text));
  return { form, document, problems: document ? (await api.check(document)).problems : [...problems] };
}

/** Read what somebody gives; a problem of a plan that can be shown does not refuse it. */
export async function readPlan(text: string): Promise<Incoming> {
  const bare = text.replace(/^\ufeff/, "");
  const form = /^\s*[[{"]/.test(bare) ? "JSON" : "text";
  const bytes = new Blob([bare]).size;
  if (bytes > MOST_BYTES)
    return refused(
      form,
      `It has ${bytes.toLocaleString("en")} bytes; at most ${MOST_BYTES.toLocaleString("en")} are read.`,
      "Is it a plan? Split it into several.",
    );
  if (bare.includes("\0"))
    return refused(form, "It is no text.", "Choose a plan as JSON, or in the text language.");
  const incoming = await readAs(form, bare);
  if (incoming.document && Object.keys(incoming.document.nodes).length === 0)
    return refused(form, "It has no nodes.", "Choose a plan: name = operator(…) in text, or nodes in JSON.");
  return incoming;
}
