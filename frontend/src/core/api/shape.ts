/** The outer shape of a plan document: only what could not be shown at all; the server's check tells the rest. */

/** What is wrong, and the keys that lead to it. */
export interface ShapeProblem {
  message: string;
  path: string[];
}

type Entries = Record<string, unknown>;

const wrong = (message: string, ...path: string[]): ShapeProblem => ({ message, path });

export function isRecord(value: unknown): value is Entries {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

const isInput = (value: unknown): boolean => typeof value === "string" || isNames(value);

function nodeProblem(name: string, node: unknown): ShapeProblem | null {
  const at = (message: string, key: string) => wrong(message, "nodes", name, key);
  if (!isRecord(node) || typeof node.op !== "string")
    return at(`Node "${name}" needs "op", the operator's name.`, "op");
  if (node.inputs !== undefined && !(isRecord(node.inputs) && Object.values(node.inputs).every(isInput)))
    return at(`Node "${name}": "inputs" maps a port to a node's name or a list of names.`, "inputs");
  if (node.params !== undefined && !isRecord(node.params))
    return at(`Node "${name}": "params" is an object of parameters by name.`, "params");
  if (node.stream !== undefined && typeof node.stream !== "string")
    return at(`Node "${name}": "stream" is the name of a stream.`, "stream");
  return null;
}

function layoutProblem(layout: unknown): ShapeProblem | null {
  if (layout === undefined) return null;
  if (!isRecord(layout)) return wrong('"layout" maps a node to its [x, y].', "layout");
  const isPlace = (at: unknown): boolean =>
    Array.isArray(at) && at.length === 2 && at.every((one) => Number.isFinite(one));
  const lost = Object.entries(layout).find(([, at]) => !isPlace(at));
  return lost
    ? wrong(`"layout": the place of "${lost[0]}" is two numbers, [x, y].`, "layout", lost[0])
    : null;
}

function drawingProblem({ groups, comments, results }: Entries): ShapeProblem | null {
  if (results !== undefined && !isNames(results))
    return wrong('"results" is a list of nodes\' names.', "results");
  const isGroup = (one: unknown): boolean =>
    isRecord(one) && typeof one.title === "string" && isNames(one.nodes);
  if (groups !== undefined && !(Array.isArray(groups) && groups.every(isGroup)))
    return wrong('"groups" is a list of {"title": …, "nodes": […]}.', "groups");
  const isComment = (one: unknown): boolean =>
    typeof one === "string" || (isRecord(one) && typeof one.text === "string");
  if (comments !== undefined && !(Array.isArray(comments) && comments.every(isComment)))
    return wrong('"comments" is a list of texts, or of {"text": …}.', "comments");
  return null;
}

/** What every object of the browser has already; a node of such a name could not be told from it. */
export const isInherited = (name: string): boolean => name in {};

const taken = (name: string) =>
  wrong(`"${name}" cannot be the name of a node. Choose another one.`, "nodes", name);

/** What keeps a document from being drawn at all, or null; the rest the server's check tells, beside the drawing. */
export function describeUndrawable(document: unknown): ShapeProblem | null {
  if (!isRecord(document) || typeof document.nodes !== "object" || document.nodes === null)
    return wrong('It holds no "nodes".', "nodes");
  for (const [name, node] of Object.entries(document.nodes)) {
    if (isInherited(name)) return taken(name);
    if (!isRecord(node)) return wrong(`Node "${name}" is no object.`, "nodes", name);
  }
  return null;
}

/** What keeps a value from being a plan document at all, or null. */
export function describeShapeProblem(value: unknown): ShapeProblem | null {
  if (!isRecord(value)) return wrong("A plan document is a JSON object.");
  if (value.version !== 1) return wrong('A plan document says "version": 1.', "version");
  if (!isRecord(value.nodes))
    return wrong('A plan document holds "nodes", an object of nodes by name.', "nodes");
  for (const [name, node] of Object.entries(value.nodes)) {
    const problem = isInherited(name) ? taken(name) : nodeProblem(name, node);
    if (problem !== null) return problem;
  }
  return layoutProblem(value.layout) ?? drawingProblem(value);
}
