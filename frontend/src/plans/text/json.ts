/** A plan as JSON: read here, with the place of what is wrong, and the places of nodes and of their parts. */
import { json, jsonLanguage } from "@codemirror/lang-json";
import type { SyntaxNode } from "@lezer/common";
import type { PlanDocument, Problem } from "../../core/api/types";
import { describeShapeProblem } from "../../core/api/shape";
import type { Form, Located, Place, Reading } from "./session";

export const jsonSupport = json;

type Path = readonly string[];

function keyOf(property: SyntaxNode, text: string): string {
  const name = property.getChild("PropertyName");
  if (!name) return "";
  try {
    return String(JSON.parse(text.slice(name.from, name.to)));
  } catch {
    return "";
  }
}

function propertyOf(object: SyntaxNode | null, key: string, text: string): SyntaxNode | null {
  return object?.getChildren("Property").find((syntaxNode) => keyOf(syntaxNode, text) === key) ?? null;
}

const valueOf = (property: SyntaxNode | null): SyntaxNode | null => property?.lastChild ?? null;

/** The property at a path as far as it is there. */
function deepest(text: string, path: Path): SyntaxNode | null {
  let object = jsonLanguage.parser.parse(text).topNode.firstChild;
  let syntaxNode: SyntaxNode | null = null;
  for (const key of path) {
    const property = propertyOf(object, key, text);
    if (!property) break;
    syntaxNode = property;
    object = valueOf(property);
  }
  return syntaxNode;
}

function lineColumnAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return [before.split("\n").length, offset - before.lastIndexOf("\n")];
}

function placeOf(text: string, path: Path): Place {
  return lineColumnAt(text, deepest(text, path)?.from ?? 0);
}

/** Where each node is. */
export function placesOf(text: string): Record<string, Place> {
  const nodes = valueOf(propertyOf(jsonLanguage.parser.parse(text).topNode.firstChild, "nodes", text));
  const syntaxNodes = nodes?.name === "Object" ? nodes.getChildren("Property") : [];
  let line = 1;
  let start = 0;
  return Object.fromEntries(
    syntaxNodes.map((property): [string, Place] => {
      for (
        let end = text.indexOf("\n", start);
        end >= 0 && end < property.from;
        end = text.indexOf("\n", start)
      ) {
        start = end + 1;
        line += 1;
      }
      return [keyOf(property, text), [line, property.from - start + 1]];
    }),
  );
}

/** A problem of the check at the part of the document that it is about. */
export function locateProblem(text: string, problem: Problem): Located {
  const { node, port } = problem;
  const own = node === null ? [] : ["nodes", node];
  const ways = port
    ? [
        [...own, "params", port],
        [...own, "inputs", port],
        [...own, ...port.split(".")],
      ]
    : [own];
  const syntaxNode = ways
    .map((way) => deepest(text, way))
    .sort((a, b) => (b?.from ?? 0) - (a?.from ?? 0))
    .at(0);
  const [line, column] = lineColumnAt(text, syntaxNode?.from ?? 0);
  return { ...problem, line, column };
}

function refusal(message: string, hint: string, [line, column]: Place): Reading {
  const problem = { node: null, port: null, code: "bad_json", message, hint, severity: "error" as const };
  return { document: null, problems: [{ ...problem, line, column }], places: {} };
}

/** The first place that the grammar does not take. */
function brokenAt(text: string): number {
  let at = text.length;
  jsonLanguage.parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) at = Math.min(at, node.from);
    },
  });
  return at;
}

/** The engine's words without its own account of the place. */
function said(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const bare = words.replace(/^JSON\.parse: /, "").replace(/ (?:in JSON )?at (?:position|line) .*$/, "");
  return bare.replace(/,? ?"?(?:\.\.\.)?[^]*" is not valid JSON$/, "").trim() || "this is not JSON";
}

/** The second of two nodes of one name, which JSON itself would silently take for the first. */
function doubled(text: string): { name: string; at: number } | null {
  const nodes = valueOf(propertyOf(jsonLanguage.parser.parse(text).topNode.firstChild, "nodes", text));
  const seen = new Set<string>();
  for (const property of nodes?.getChildren("Property") ?? []) {
    const name = keyOf(property, text);
    if (seen.has(name)) return { name, at: property.from };
    seen.add(name);
  }
  return null;
}

export function readJson(text: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refusal(
      said(error),
      "A comma, a quotation mark or a bracket is missing here or before.",
      lineColumnAt(text, brokenAt(text)),
    );
  }
  const wrong = describeShapeProblem(value);
  if (wrong !== null) return refusal(wrong.message, "", placeOf(text, wrong.path));
  const twice = doubled(text);
  if (twice !== null) {
    const hint = "Give one of them another name.";
    return refusal(`There are two nodes "${twice.name}".`, hint, lineColumnAt(text, twice.at));
  }
  return { document: value as PlanDocument, problems: [], places: placesOf(text) };
}

export const jsonForm: Form = {
  write: (document) => Promise.resolve(JSON.stringify(document, null, 2)),
  read: (text) => Promise.resolve(readJson(text)),
};
