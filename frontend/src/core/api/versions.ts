/** Drafts and versions of a plan, as they are on the wire. */
import { call, fetchPage } from "./client";
import type { PlanDocument } from "./document";
import type { Plan } from "./types";
import type { Wire } from "./wire";

export type Choice = Wire<"ChoiceRequest">;

/** A draft to keep, and what it stands on. */
export type Save = Wire<
  "SaveRequest",
  { name: string; document: PlanDocument; edit: string; base?: PlanDocument }
>;

/** A plan as it is saved now, and what others did since the version that was sent. */
export type Saved = Plan & Pick<Wire<"Saved">, "changes" | "words">;

export type DraftChanges = Wire<"DraftChanges", { document: PlanDocument }>;

/** What two people changed, and not to the same; a side that is left out took it away. */
export type Conflict = Wire<"Conflict">;
export type Merge = Wire<"Merge", { document: PlanDocument }>;
export type Version = Wire<"Version">;

/** One side of a comparison; the draft has no number. */
export type Side = Wire<"Side", { document: PlanDocument }>;
export type FieldChange = Wire<"FieldChange">;

/** A node or another part of the plan, and all that happened to it. */
export type Subject = Wire<"Subject">;
export type Did = Subject["did"][number];
export type Compared = Wire<"Compared", { from: Side; to: Side }>;

const plan = (id: number, rest = ""): string => `/api/plans/${id}/${rest}`;

export const drafts = {
  save: (id: number, save: Save, keepalive = false) => call<Saved>("PUT", plan(id), save, keepalive),
  create: (save: { name: string; document: PlanDocument; edit: string }, keepalive = false) =>
    call<Plan>("POST", "/api/plans/", save, keepalive),
  merge: (id: number, save: Save) => call<Merge>("POST", plan(id, "merge/"), save),
  since: (id: number, version: number) => call<DraftChanges>("GET", plan(id, `changes/?since=${version}`)),
};

export const versions = {
  /** The newest; `next` is where the page before led. */
  list: (id: number, next: string | null) => fetchPage<Version>(next ?? plan(id, "versions/?limit=50")),
  make: (id: number, name: string) => call<Version>("POST", plan(id, "versions/"), { name }),
  name: (id: number, number: number, name: string) =>
    call<Version>("PUT", plan(id, `versions/${number}/`), { name }),
  restore: (id: number, number: number) => call<Plan>("POST", plan(id, `versions/${number}/restore/`), {}),
  compare: (id: number, from: number | null, to: number | null) =>
    call<Compared>("GET", plan(id, `compare/?from=${from ?? "draft"}&to=${to ?? "draft"}`)),
};
