/** What a document lacks, seen at once in the browser; the server's check has the last word. */
import type { DocumentNode, Operator, Parameter, PlanDocument, Problem } from "../api/types";
import { sourcesAt } from "./document";
import type { Operators } from "./kinds";

export const DURATION = /^\d+(\.\d+)?(us|ms|s|min|h|d)$/;

const PERCENTILE = /^p(\d{1,3}(?:\.\d{1,6})?)$/;

/** Whether a text is one of the choices of a parameter, or a percentile where it takes these. */
export function isChoice({ choices, percentiles }: Parameter, text: string): boolean {
  if (choices.includes(text)) return true;
  const part = Number((percentiles && PERCENTILE.exec(text)?.[1]) || 0);
  return part > 0 && part <= 100;
}

/** Whether a text is a duration, or another period that the parameter takes, such as a month. */
export const isDuration = ({ choices }: Parameter, text: string): boolean =>
  DURATION.test(text) || choices.includes(text);

function problem(node: string, port: string | null, code: string, message: string, hint: string): Problem {
  return { node, port, code, message, hint, severity: "error" };
}

function parameterHints(name: string, parameter: Parameter, held: unknown): Problem[] {
  const empty = held === undefined || held === "";
  if (empty && parameter.required && parameter.default === null)
    return [
      problem(name, parameter.name, "missing_parameter", `${parameter.title} is not set.`, "Fill it in."),
    ];
  if (!empty && parameter.type === "duration" && !isDuration(parameter, String(held)))
    return [
      problem(
        name,
        parameter.name,
        "bad_duration",
        `"${held}" is not a duration.`,
        "Write it like 250ms, 5s, 10min.",
      ),
    ];
  if (!empty && parameter.type === "choice" && !isChoice(parameter, String(held))) {
    const hint = `Choose one of ${parameter.choices.join(", ")}${parameter.percentiles ? ", or any percentile such as p95 or p99.9" : ""}.`;
    return [problem(name, parameter.name, "bad_choice", `"${held}" is not a choice.`, hint)];
  }
  return [];
}

function inputHints(document: PlanDocument, name: string, operator: Operator): Problem[] {
  return operator.inputs.flatMap((port) => {
    const count = sourcesAt(document.nodes[name], port.name).length;
    const least = port.required ? Math.max(1, port.minimum) : 0;
    if (count >= least) return [];
    const wanted = least === 1 ? "a wire" : `${least} wires`;
    return [
      problem(name, port.name, "missing_input", `${port.title} needs ${wanted}.`, "Connect a node to it."),
    ];
  });
}

function oneOfHints(name: string, node: DocumentNode, operator: Operator): Problem[] {
  if (operator.one_of.length === 0) return [];
  const given = operator.one_of.filter((one) => {
    const value = one === "stream" ? node.stream : node.params?.[one];
    return sourcesAt(node, one).length > 0 || (value !== undefined && value !== "");
  });
  const choices = operator.one_of.join(" or ");
  if (given.length === 1) return [];
  const message = given.length === 0 ? `Needs ${choices}.` : `Has ${given.join(" and ")}.`;
  return [problem(name, operator.one_of[0] ?? null, "one_of", message, `Give exactly one of ${choices}.`)];
}

function nodeHints(document: PlanDocument, name: string, operators: Operators): Problem[] {
  const node = document.nodes[name];
  const operator = node && operators.get(node.op);
  if (!operator) return [problem(name, null, "unknown_operator", `No operator "${node?.op}".`, "Delete it.")];
  const streamless = operator.needs_stream && !node.stream;
  return [
    ...(streamless ? [problem(name, "stream", "missing_stream", "No stream is chosen.", "Choose one.")] : []),
    ...inputHints(document, name, operator),
    ...oneOfHints(name, node, operator),
    ...operator.parameters.flatMap((parameter) =>
      parameterHints(name, parameter, node.params?.[parameter.name]),
    ),
  ];
}

export function listHints(document: PlanDocument, operators: Operators): Problem[] {
  return Object.keys(document.nodes).flatMap((name) => nodeHints(document, name, operators));
}
