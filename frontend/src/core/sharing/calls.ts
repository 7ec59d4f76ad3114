/** The calls about who may do what, whose things are, and who did what. */
import { call, fetchPage } from "../api/client";
import type { ListedNode } from "../api/types";
import type { Wire } from "../api/wire";

export type Entry = Wire<"AuditEntry", { before: unknown; after: unknown }>;
export type Sharing = Wire<"SharingDetails">;
export type Share = Sharing["shares"][number];
export type SharedRight = Share["rights"][number];
export type Person = Wire<"Person">;
export type Role = NonNullable<Person["role"]>;
export type MadePerson = Wire<"MadePerson">;
export type Team = Wire<"Team">;
export type OneTimePassword = Wire<"OneTimePassword">;
type HolderKind = Share["kind"];

/** A person or a team. */
export interface Holder {
  kind: HolderKind;
  name: string;
}

/** Things of one kind: those, or all that match. */
export type TransferSelection = Wire<"MeantRequest">;
export type TransferPreview = Wire<"Giving">;

export interface AuditPage {
  results: Entry[];
  next: string | null;
}

const one = encodeURIComponent;

/** A body without a reason that says nothing. */
function because(reason: string, body: object = {}): object {
  return reason.trim() === "" ? body : { ...body, reason: reason.trim() };
}

export const people = {
  sharing: (path: string) => call<Sharing>("GET", `${path}sharing/`),
  share: (path: string, open_to_all: boolean, shares: readonly Share[]) =>
    call<Sharing>("PUT", `${path}sharing/`, { open_to_all, shares }),
  transfer: (path: string, to: Holder, reason: string) =>
    call<{ transferred: number }>("POST", `${path}transfer/`, because(reason, to)),
  /** What giving many away would mean. */
  giving: (meant: TransferSelection) => call<TransferPreview>("POST", "/api/transfer/consequences/", meant),
  give: (meant: TransferSelection, to: Holder, reason: string, count: number) =>
    call<{ transferred: number }>("POST", "/api/transfer/", because(reason, { ...meant, to, count })),
  audit: (address: string) => call<AuditPage>("GET", address),
  search: async (search: string, personsOnly = false): Promise<Holder[]> => {
    const query = `?search=${one(search)}&limit=8`;
    const [persons, teams] = await Promise.all([
      fetchPage<Person>(`/api/people/${query}`),
      personsOnly ? { results: [] } : fetchPage<Team>(`/api/teams/${query}`),
    ]);
    return [
      ...teams.results.map(({ name }): Holder => ({ kind: "team", name })),
      ...persons.results
        .filter((person) => person.active !== false)
        .map(({ name }): Holder => ({ kind: "person", name })),
    ];
  },
  make: (name: string, role: Role) => call<MadePerson>("POST", "/api/people/", { name, role }),
  change: (name: string, change: { role?: Role; active?: boolean; teams?: string[] }) =>
    call<Person>("PUT", `/api/people/${one(name)}/`, change),
  password: (name: string, keep_tokens: boolean) =>
    call<OneTimePassword>("POST", `/api/people/${one(name)}/password/`, { keep_tokens }),
  remove: (name: string, to: Holder | null, reason: string) =>
    call<null>("DELETE", `/api/people/${one(name)}/`, because(reason, to ? { to } : {})),
  makeTeam: (name: string) => call<Team>("POST", "/api/teams/", { name }),
  changeTeam: (name: string, members: string[]) => call<Team>("PUT", `/api/teams/${one(name)}/`, { members }),
  removeTeam: (name: string) => call<null>("DELETE", `/api/teams/${one(name)}/`),
  nodeAct: (digest: string, act: "restart" | "stop", reason: string) =>
    call<ListedNode>("POST", `/api/nodes/${one(digest)}/${act}/`, because(reason)),
};
