/** What running a plan would mean, put together for people: groups of nodes in the order of what matters most. */
import type { Consequences, Fate, RemovedNode, NodeUsers } from "../../core/api/consequences";
import { formatMoment } from "../../core/time/format";
import { formatAgo } from "../../core/ui/format";

export interface Line {
  names: readonly string[];
  digest: string;
  /** Whose, for whom, since when; may be empty. */
  said: string;
}

export interface Group {
  id: string;
  title: string;
  lines: Line[];
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

function users(node: NodeUsers): string {
  return node.users.map((user) => `${user.owner}'s “${user.plan_name}”`).join(", ");
}

function since(node: Fate, now: number): string {
  if (node.since === null) return node.words;
  return `${node.words} since ${formatMoment(node.since)} (${formatAgo(new Date(node.since / 1000).toISOString(), now)})`;
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== "").join(" · ");

/** Of a node that goes on as it is, only the name changes. */
const isRenamed = (node: Fate): boolean => node.fate === "kept" && node.was.length > 0;

const GROUPS: readonly [id: string, title: string, is: (node: Fate) => boolean][] = [
  ["changed", "Restarted (changed)", (node) => node.fate === "new" && node.replaces],
  ["new", "Start", (node) => node.fate === "new" && !node.replaces],
  ["moved", "Move to another query", (node) => node.fate === "moved"],
  ["resumed", "Resume where they stopped", (node) => node.fate === "resumed"],
  ["joined", "Running already (shared)", (node) => node.fate === "joined"],
  ["renamed", "Renamed", isRenamed],
  ["kept", "Unchanged", (node) => node.fate === "kept" && !isRenamed(node)],
];

function said(node: Fate, now: number): string {
  const anew = node.reads.length > 0 ? `reads ${node.reads.join(", ")} from the beginning` : "";
  const others = node.users.length > 0 ? `used by ${users(node)}` : "";
  switch (node.fate) {
    case "new":
      return anew;
    case "moved":
    case "resumed":
      return joined(anew, others);
    case "joined":
      return joined(node.owner === null ? "" : `${node.owner}'s`, since(node, now), others);
    case "kept":
      return joined(
        isRenamed(node) ? `called ${node.was.join(", ")} until now` : "",
        since(node, now),
        others,
      );
  }
}

function goneGroups(gone: readonly RemovedNode[]): Group[] {
  const some = (fate: RemovedNode["fate"], line: (node: RemovedNode) => string): Line[] =>
    gone
      .filter((node) => node.fate === fate)
      .map((node) => ({ names: node.names, digest: node.digest, said: line(node) }));
  return [
    { id: "stopped", title: "Stop", lines: some("stopped", () => "") },
    {
      id: "left",
      title: "Kept running for other plans",
      lines: some("left", (node) => `for ${users(node)}`),
    },
  ].filter((group) => group.lines.length > 0);
}

/** By their names, those without one last. */
const inOrder = (a: Line, b: Line): number =>
  Number(a.names.length === 0) - Number(b.names.length === 0) ||
  (a.names[0] ?? "").localeCompare(b.names[0] ?? "");

export function groupsOf(consequences: Consequences, now: number): Group[] {
  const groups = GROUPS.map(([id, title, is]) => ({
    id,
    title,
    lines: consequences.nodes
      .filter(is)
      .map((node) => ({ names: node.names, digest: node.digest, said: said(node, now) }))
      .sort(inOrder),
  })).filter((group) => group.lines.length > 0);
  return [...groups, ...goneGroups(consequences.gone)];
}

/** What is said of all lines at once, of which each says this. */
export const findCommonText = (lines: readonly Line[], said: string): string =>
  lines.length > 1 && said.startsWith("reads ") ? `each ${said}` : said;

export const leavingGroups = goneGroups;

/** What is computed again: Replays 1,204 stored events from player and 3 from ads. */
export function describeReplay(consequences: Consequences): string {
  const some = Object.entries(consequences.replayed_events).filter(([, count]) => count > 0);
  if (some.length === 0)
    return consequences.nodes.some((node) => node.reads.length > 0)
      ? "No past events are stored: new nodes start with the next event."
      : "Replays no past events.";
  const list = some.map(([stream, count], i) =>
    i === 0
      ? `${plural(count, "stored event")} from ${stream}`
      : `${count.toLocaleString("en")} from ${stream}`,
  );
  return `Replays ${list.join(" and ")}.`;
}

/** What goes on by itself; anything else is started again by being applied. */
const GOING: ReadonlySet<string> = new Set(["running", "starting"]);

/** What of streams the run opens to the owner of the plan, who may not look at them; null: nothing. */
export function describeOpenedStreams({ opens }: Pick<Consequences, "opens">, owner: string): string | null {
  const names = opens.flatMap(({ stream, fields }) =>
    fields.length === 0 ? [stream] : fields.map((field) => `${stream}.${field}`),
  );
  if (names.length === 0) return null;
  return `This opens ${names.join(", ")} to ${owner}, and to all who may look at the plan.`;
}

const staysAsItIs = ({ gone, nodes }: Consequences): boolean =>
  gone.length === 0 && nodes.every((node) => node.fate === "kept" && !isRenamed(node));

/** Whether nothing of the nodes is to be applied: none changes, and none waits to be started again. */
export const changesNothing = (consequences: Consequences): boolean =>
  consequences.opens.length === 0 &&
  staysAsItIs(consequences) &&
  consequences.nodes.every(({ observed }) => GOING.has(observed));

interface Confirmation {
  readonly title: string;
  readonly act: string;
  readonly leave: string;
}

/** What is asked; of a plan that runs Apply is there also where no node changes: results and comments are applied, too. */
export function runQuestion(name: string, running: boolean, nothing: boolean): Confirmation {
  if (!running) return { title: `Run “${name}”?`, act: "Run", leave: "Cancel" };
  if (nothing) return { title: `Nothing changes for the nodes of “${name}”`, act: "Apply", leave: "Close" };
  return { title: `Apply the changes to “${name}”?`, act: "Apply", leave: "Cancel" };
}

/** In one sentence what happens. */
export function summarizeConsequences(consequences: Consequences): string {
  const count = (fate: Fate["fate"]): number =>
    consequences.nodes.filter((node) => node.fate === fate).length;
  const stopped = consequences.gone.filter((node) => node.fate === "stopped").length;
  const left = consequences.gone.length - stopped;
  const renamed = consequences.nodes.filter(isRenamed).length;
  if (staysAsItIs(consequences)) return "No changes: every node stays as it is.";
  if (consequences.gone.length === 0 && count("kept") === consequences.nodes.length)
    return `Only ${renamed === 1 ? "a name changes" : "names change"}: every node goes on, nothing is restarted.`;
  const parts: [number, string, string][] = [
    [count("new"), "node starts", "nodes start"],
    [count("moved"), "moves", "move"],
    [count("resumed"), "resumes where it stopped", "resume where they stopped"],
    [count("joined"), "is running already (shared)", "are running already (shared)"],
    [renamed, "is renamed", "are renamed"],
    [count("kept") - renamed, "stays as it is", "stay as they are"],
    [stopped, "stops", "stop"],
    [left, "keeps running for others", "keep running for others"],
  ];
  const words = parts.filter(([n]) => n > 0).map(([n, one, many]) => plural(n, one, many));
  const [first = "", ...rest] = words;
  const begun = /node/.test(first)
    ? first
    : first.replace(/^(\S+)/, (n) => `${n} ${n === "1" ? "node" : "nodes"}`);
  return `${[begun, ...rest].join(", ")}.`;
}
