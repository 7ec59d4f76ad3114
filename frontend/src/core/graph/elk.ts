/** The layered layout of ELK: ports keep their order, groups stay together, comments move with the node they are near. */
import type { ELK, ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api";
import type { Operator, PlanDocument } from "../api/types";
import { computePositions } from "./arrange";
import { commentsOf, groupsOf, moveComments, placeOf } from "./drawing";
import { listWires } from "./document";
import { moveNodes } from "./edit";
import type { Position } from "./position";
import { NODE_WIDTH, portHeight, roomyHeight } from "./geometry";

type Operators = ReadonlyMap<string, Operator>;

const SPACING = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.layered.spacing.nodeNodeBetweenLayers": "96",
  "elk.spacing.nodeNode": "40",
  "elk.spacing.edgeNode": "24",
  "elk.spacing.componentComponent": "144",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
};
/** So many nodes are laid out with more care; more of them in a fraction of the time. */
const CAREFUL = 150;
const QUICK = {
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.layered.thoroughness": "1",
};
/** As they were drawn, where that can be: ELK has graphs on which this option throws. */
const IN_ORDER = {
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.considerModelOrder.components": "MODEL_ORDER",
};
/** With frames ELK lays out all in one go, and puts what is not wired to the rest below it; else beside it, too. */
const WITH_FRAMES = { "elk.hierarchyHandling": "INCLUDE_CHILDREN" };
const BESIDE = { "elk.aspectRatio": "1.8" };
const FRAME = { ...SPACING, ...WITH_FRAMES, "elk.padding": "[top=48,left=24,bottom=24,right=24]" };

function port(id: string, side: "WEST" | "EAST", index: number) {
  return {
    id,
    x: side === "WEST" ? 0 : NODE_WIDTH,
    y: portHeight(index),
    width: 0,
    height: 0,
    layoutOptions: { "elk.port.side": side },
  };
}

function box(document: PlanDocument, name: string, operators: Operators): ElkNode {
  const operator = operators.get(document.nodes[name]?.op ?? "");
  const known = operator?.inputs.map((input) => input.name) ?? [];
  const others = Object.keys(document.nodes[name]?.inputs ?? {}).filter((one) => !known.includes(one));
  const inputs = [...known, ...others].map((one, i) => port(`${name}.${one}`, "WEST", i));
  return {
    id: name,
    width: NODE_WIDTH,
    height: roomyHeight(document.nodes[name], operators),
    ports: [...inputs, port(`${name} out`, "EAST", 0)],
    layoutOptions: { "elk.portConstraints": "FIXED_POS" },
  };
}

/** The plan as ELK takes it; only `names`, where some are given. */
function elkGraph(document: PlanDocument, names: ReadonlySet<string>, operators: Operators): ElkNode {
  const grouped = new Set<string>();
  const frames = groupsOf(document).flatMap((group, i): ElkNode[] => {
    const nodes = group.nodes.filter((name) => names.has(name));
    nodes.forEach((name) => grouped.add(name));
    const children = nodes.map((name) => box(document, name, operators));
    return children.length === 0 ? [] : [{ id: `group:${i}`, children, layoutOptions: FRAME }];
  });
  const free = [...names].filter((name) => !grouped.has(name)).map((name) => box(document, name, operators));
  const edges = listWires(document)
    .filter((wire) => names.has(wire.from) && names.has(wire.to))
    .map((wire, i): ElkExtendedEdge => ({
      id: `${i}`,
      sources: [`${wire.from} out`],
      targets: [`${wire.to}.${wire.port}`],
    }));
  const layoutOptions = {
    ...SPACING,
    ...(names.size > CAREFUL ? QUICK : {}),
    ...(frames.length > 0 ? WITH_FRAMES : BESIDE),
  };
  return { id: "plan", layoutOptions, children: [...frames, ...free], edges };
}

function placesIn(node: ElkNode, from: Position): [string, Position][] {
  return (node.children ?? []).flatMap((child) => {
    const at: Position = [from[0] + (child.x ?? 0), from[1] + (child.y ?? 0)];
    return child.children ? placesIn(child, at) : [[child.id, at]];
  });
}

async function laidOut(graph: ElkNode, elk: Pick<ELK, "layout">): Promise<ElkNode> {
  const ordered = { ...graph, layoutOptions: { ...graph.layoutOptions, ...IN_ORDER } };
  return elk.layout(ordered).catch(() => elk.layout(graph));
}

function corner(places: readonly Position[]): Position {
  return [Math.min(...places.map(([x]) => x)), Math.min(...places.map(([, y]) => y))];
}

/** Comments go where the node went that was nearest to them. */
function withComments(before: Record<string, Position>, after: PlanDocument): PlanDocument {
  const now = after.layout ?? {};
  const places = commentsOf(after).flatMap((comment, i): [number, Position][] => {
    const at = placeOf(comment);
    if (!at) return [];
    const far = (name: string): number => {
      const [x, y] = before[name] ?? [0, 0];
      return Math.hypot(x - at[0], y - at[1]);
    };
    const near = Object.keys(before).toSorted((a, b) => far(a) - far(b))[0] ?? "";
    const [old, fresh] = [before[near], now[near]];
    return old && fresh ? [[i, [at[0] + fresh[0] - old[0], at[1] + fresh[1] - old[1]]]] : [];
  });
  return places.length > 0 ? moveComments(after, new Map(places)) : after;
}

/** The plan laid out anew; of a part of it, where that begins stays. */
export async function layOut(
  document: PlanDocument,
  names: readonly string[],
  operators: Operators,
  elk: Pick<ELK, "layout">,
): Promise<(document: PlanDocument) => PlanDocument> {
  const chosen = new Set(names.length > 0 ? names : Object.keys(document.nodes));
  const before = computePositions(document, operators);
  const found = placesIn(await laidOut(elkGraph(document, chosen, operators), elk), [0, 0]);
  if (found.length === 0) return (now) => now;
  const start = corner([...chosen].map((name) => before[name] ?? [0, 0]));
  const end = corner(found.map(([, at]) => at));
  const whole = names.length === 0;
  const moved = (at: Position): Position =>
    whole ? [at[0] - end[0], at[1] - end[1]] : [at[0] - end[0] + start[0], at[1] - end[1] + start[1]];
  return (now) => {
    const kept = found.filter(([name]) => name in now.nodes).map(([name, at]) => [name, moved(at)]);
    const laid = moveNodes(now, Object.fromEntries(kept) as Record<string, Position>);
    return whole ? withComments(before, laid) : laid;
  };
}
