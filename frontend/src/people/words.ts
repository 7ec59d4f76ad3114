/** What is said of acts. */
import type { Entry } from "./calls";

const ACTS: Readonly<Record<string, string>> = {
  create: "made",
  delete: "deleted",
  edit: "edited",
  change: "declared anew",
  run: "ran",
  stop: "stopped",
  restart: "restarted",
  restore: "restored a version of",
  version: "kept a version of",
  test: "changed a test of",
  share: "changed who may see",
  transfer: "transferred",
  rename: "renamed",
  role: "gave another role to",
  active: "changed whether there is a way in for",
  teams: "changed the teams of",
  password: "changed the password of",
  end: "ended",
};

/** What was done, before the name of the thing: ran the plan. */
export function actInWords(entry: Pick<Entry, "act" | "kind">): string {
  const verb = entry.act.split(".")[1] ?? entry.act;
  return `${ACTS[verb] ?? verb} the ${entry.kind}`;
}

const SOURCES: Readonly<Record<Entry["source"], string>> = {
  page: "on the page",
  rest: "over REST",
  admin: "in the admin pages",
  shell: "in the shell",
  task: "by itself",
};

export function sourceInWords(source: Entry["source"]): string {
  return SOURCES[source];
}

function short(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return value === "" ? "nothing" : value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "nobody" : value.map(short).join(", ");
  if (typeof value !== "object") return JSON.stringify(value);
  const { name, rights } = value as { name?: unknown; rights?: unknown };
  if (typeof name === "string" && Array.isArray(rights)) return `${name} (${rights.map(short).join(", ")})`;
  return JSON.stringify(value);
}

const TITLES: Readonly<Record<string, string>> = {
  open_to_all: "open to all",
  owner_kind: "kind of owner",
  shares: "shared with",
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is otherwise than before, a line each: owner: ada → bob. */
export function changesOf({ before, after }: Pick<Entry, "before" | "after">): string[] {
  if (!isRecord(after)) return [];
  const was = isRecord(before) ? before : {};
  return Object.keys(after)
    .filter((name) => JSON.stringify(was[name]) !== JSON.stringify(after[name]))
    .filter((name) => name !== "document" && name !== "owner_kind")
    .map((name) => {
      const title = TITLES[name] ?? name;
      const now = short(after[name]);
      return name in was ? `${title}: ${short(was[name])} → ${now}` : `${title}: ${now}`;
    });
}
