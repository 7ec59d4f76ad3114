/** Drafts and versions of a plan, as they are on the wire. */
import type { Leading, Change } from "../graph/patch";
import { call, list } from "./client";
import type { PlanDocument } from "./document";
import type { Plan } from "./types";

export interface Choice {
  path: string[];
  take: "mine" | "theirs";
}

/** A draft to keep, and what it stands on. */
export interface Save {
  name: string;
  document: PlanDocument;
  version: number;
  /** The page's own name of this save: sent twice, it is done once. */
  edit: string;
  base?: PlanDocument;
  choices?: Choice[];
  against?: number;
}

/** A plan as it is saved now, and what others did since the version that was sent. */
export interface Saved extends Plan {
  changes: Leading;
  words: string;
}

export interface DraftChanges {
  version: number;
  saved_by: string | null;
  saved_at: string | null;
  document: PlanDocument;
  changes: Leading | null;
  words: string;
}

/** What two people changed, and not to the same; a side that is left out took it away. */
export interface Conflict {
  path: string[];
  words: string;
  base?: unknown;
  mine?: unknown;
  theirs?: unknown;
}

export interface Merge {
  version: number;
  saved_by: string | null;
  saved_at: string | null;
  document: PlanDocument;
  conflicts: Conflict[];
}

export interface Version {
  number: number;
  name: string;
  reason: "run" | "hand" | "restore";
  words: string;
  by: string | null;
  made_at: string;
  runs: boolean;
}

/** One side of a comparison; the draft has no number. */
export interface Side extends Omit<Version, "number" | "reason" | "made_at"> {
  number: number | null;
  reason: Version["reason"] | "draft";
  made_at: string | null;
  document: PlanDocument;
}

export type Did = "added" | "removed" | "renamed" | "changed" | "rewired" | "moved";

export interface FieldChange extends Change {
  field: string;
}

/** A node or another part of the plan, and all that happened to it. */
export interface Subject {
  name: string;
  node: boolean;
  was: string | null;
  did: Did[];
  changes: FieldChange[];
}

export interface Compared {
  from: Side;
  to: Side;
  words: string;
  renames: Record<string, string>;
  subjects: Subject[];
}

const plan = (id: number, rest = ""): string => `/api/plans/${id}/${rest}`;

export const drafts = {
  save: (id: number, save: Save, keepalive = false) => call<Saved>("PUT", plan(id), save, keepalive),
  create: (save: { name: string; document: PlanDocument; edit: string }, keepalive = false) =>
    call<Plan>("POST", "/api/plans/", save, keepalive),
  merge: (id: number, save: Save) => call<Merge>("POST", plan(id, "merge/"), save),
  since: (id: number, version: number) => call<DraftChanges>("GET", plan(id, `changes/?since=${version}`)),
};

export const versions = {
  list: (id: number, before: number | null) =>
    list<Version>(plan(id, `versions/?limit=50${before === null ? "" : `&before=${before}`}`)),
  make: (id: number, name: string) => call<Version>("POST", plan(id, "versions/"), { name }),
  name: (id: number, number: number, name: string) =>
    call<Version>("PUT", plan(id, `versions/${number}/`), { name }),
  restore: (id: number, number: number) => call<Plan>("POST", plan(id, `versions/${number}/restore/`), {}),
  compare: (id: number, from: number | null, to: number | null) =>
    call<Compared>("GET", plan(id, `compare/?from=${from ?? "draft"}&to=${to ?? "draft"}`)),
};
