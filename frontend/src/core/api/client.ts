/** A small fetch client: JSON in and out, the CSRF header on unsafe calls, refusals as one error type. */
import type { Consequences, StopConsequences } from "./consequences";
import type {
  Board,
  BoardDocument,
  BoardVersion,
  ChartDraft,
  MadePublicLink,
  PublicBoard,
  PublicLink,
  Source,
  SourceRef,
} from "./dashboards";
import type {
  CheckAnswer,
  KeyRow,
  Me,
  NodeDetail,
  Operator,
  Placement,
  Plan,
  PlanDocument,
  Problem,
  Scalar,
  Stream,
  Why,
} from "./types";
import type { Wire } from "./wire";
import { describeUndrawable } from "./shape";
import { readPublicSecret } from "./publicLink";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly problems: Problem[] = [],
  ) {
    super(message);
  }
}

/** Whether it is not there, or may not be seen (any more). */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Whether the server, or what stands before it, may answer the same in a while: it is away, in trouble, or busy. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

export function readCookie(name: string, jar = document.cookie): string {
  const found = jar.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

export function loginAddress(path: string): string {
  return `/login/?next=${encodeURIComponent(path)}`;
}

export function goToLogin(): void {
  window.location.assign(loginAddress(window.location.pathname + window.location.search));
}

function isRefusalBody(body: unknown): body is { code?: string; message?: string; problems?: Problem[] } {
  return typeof body === "object" && body !== null;
}

export function buildApiError(status: number, body: unknown): ApiError {
  const said = isRefusalBody(body) ? body : {};
  const message = said.message ?? `The server answered ${status}${status >= 500 ? ": it failed" : ""}.`;
  return new ApiError(status, said.code ?? `http_${status}`, message, said.problems ?? []);
}

export function isNotLoggedIn(error: ApiError): boolean {
  return error.status === 401 || (error.status === 403 && error.code === "not_authenticated");
}

export function call<T>(method: string, path: string, body?: unknown, keepalive = false): Promise<T> {
  return body === undefined
    ? send<T>(method, path, {})
    : send<T>(method, path, { "Content-Type": "application/json" }, JSON.stringify(body), keepalive);
}

/** What is there; given up where the signal says so. */
export const read = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  send<T>("GET", path, {}, undefined, false, signal);

/** The same with a body as it is. */
export async function send<T>(
  method: string,
  path: string,
  more: Readonly<Record<string, string>>,
  body?: BodyInit,
  keepalive = false,
  signal?: AbortSignal,
): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json", ...more };
  const secret = readPublicSecret();
  if (secret !== null) headers.Authorization = `Link ${secret}`;
  if (method !== "GET") headers["X-CSRFToken"] = readCookie("csrftoken");
  const answer = await fetch(path, {
    method,
    headers,
    credentials: "same-origin",
    body,
    keepalive,
    signal,
  }).catch(() => {
    signal?.throwIfAborted();
    throw new ApiError(0, "unreachable", "The server is unreachable. Your work is kept on this page.");
  });
  const content: unknown = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.ok) return content as T;
  const error = buildApiError(answer.status, content);
  if (isNotLoggedIn(error) && secret === null) goToLogin();
  throw error;
}

/** The shape of every list: a page of it, and where the others are. */
export interface ListPage<T> {
  results: T[];
  next: string | null;
  previous: string | null;
}

/** The same address here, wherever the server thinks that it is. */
export function toLocalAddress(address: string): string {
  const { pathname, search } = new URL(address, "http://here");
  return pathname + search;
}

/** One page of a list; `next` of a page leads to the one after it. */
export const fetchPage = <T>(path: string, signal?: AbortSignal): Promise<ListPage<T>> =>
  read(toLocalAddress(path), signal);

/** A whole list, however many pages it has. */
export async function list<T>(path: string): Promise<T[]> {
  const found: T[] = [];
  for (let next: string | null = path; next !== null;) {
    const page: ListPage<T> = await fetchPage<T>(next);
    found.push(...page.results);
    next = page.next;
  }
  return found;
}

const one = encodeURIComponent;

export interface WhyQuestion {
  digest: string;
  name: string;
  key: string;
  at: number;
  plan: number | null;
  /** As known then; null: now. */
  knownAt: number | null;
}

/** Without a plan the words are those of any that uses the node, where it may have another name. */
function whyAddress({ digest, name, key, at, plan, knownAt }: WhyQuestion): string {
  const words: Record<string, string> = plan === null ? {} : { plan: String(plan), name };
  const then: Record<string, string> = knownAt === null ? {} : { known_at: String(knownAt) };
  return `/api/nodes/${one(digest)}/why/?${new URLSearchParams({ key, at: String(at), ...words, ...then })}`;
}

/** A text as a document or the other way round; of a text its problems, and where its nodes are. */
export type Translated = Wire<
  "Translated",
  {
    document: PlanDocument | null;
    problems: Problem[];
    places: Record<string, [line: number, column: number]>;
  }
>;

/** What could not be drawn is not read. */
function drawable(read: Translated): Translated {
  const problem = read.document && describeUndrawable(read.document);
  if (!problem) return read;
  const node = problem.path[1] ?? null;
  const [line, column] = read.places[node ?? ""] ?? [1, 1];
  const told = { node, port: null, line, column, code: "undrawable", message: problem.message, hint: "" };
  return { ...read, document: null, problems: [{ ...told, severity: "error" }] };
}

export interface PlanChange {
  name: string;
  document: PlanDocument;
  version?: number;
}

export type Scope = Wire<"Token">["scopes"][number];

/** A token, without what it is. */
export type TokenRow = Wire<"Token">;

/** One that was just made: shown once. */
export type MadeToken = Wire<"MadeToken">;

export type NewToken = Wire<"NewTokenRequest", { days?: number }>;

export const api = {
  me: () => call<Me>("GET", "/api/me/"),
  choosePage: (choice: Partial<Pick<Me, "theme" | "zone">>) => call<Me>("PATCH", "/api/me/", choice),
  tokens: () => list<TokenRow>("/api/tokens/"),
  endToken: (id: number) => call<null>("DELETE", `/api/tokens/${id}/`),
  makeToken: (newToken: NewToken) => call<MadeToken>("POST", "/api/tokens/", newToken),
  operators: () => list<Operator>("/api/operators/"),
  streams: () => list<Stream>("/api/streams/?limit=200"),
  plan: (id: number) => call<Plan>("GET", `/api/plans/${id}/`),
  createPlan: (change: PlanChange) => call<Plan>("POST", "/api/plans/", change),
  savePlan: (id: number, change: PlanChange) => call<Plan>("PUT", `/api/plans/${id}/`, change),
  deletePlan: (id: number) => call<null>("DELETE", `/api/plans/${id}/`),
  textOf: (document: PlanDocument) => call<Translated>("POST", "/api/text/", { document }),
  /** With the plan whose text or document it is, what that one reads is known, though it be not shared. */
  readText: async (text: string, plan: number | null) =>
    drawable(await call<Translated>("POST", "/api/text/", { text, plan })),
  check: (document: PlanDocument, plan: number | null) =>
    call<CheckAnswer>("POST", "/api/plans/check/", { document, plan }),
  foresee: (document: PlanDocument, placement: Placement, plan: number | null) =>
    call<Consequences>("POST", "/api/plans/consequences/", { document, placement, plan }),
  stopConsequences: (id: number) => call<StopConsequences>("GET", `/api/plans/${id}/stop/consequences/`),
  run: (id: number, placement: Placement) => call<Plan>("POST", `/api/plans/${id}/run/`, { placement }),
  stop: (id: number, reason = "") => call<Plan>("POST", `/api/plans/${id}/stop/`, { reason }),
  dashboard: (id: number, version: number | null) =>
    call<Board>("GET", `/api/dashboards/${id}/${version === null ? "" : `?version=${version}`}`),
  createDashboard: (change: { name: string; document?: BoardDocument }) =>
    call<Board>("POST", "/api/dashboards/", change),
  saveDashboard: (id: number, change: { name: string; document: BoardDocument; version: number }) =>
    call<Board>("PUT", `/api/dashboards/${id}/`, change),
  deleteDashboard: (id: number) => call<null>("DELETE", `/api/dashboards/${id}/`),
  pinChart: (id: number, chart: ChartDraft) => call<Board>("POST", `/api/dashboards/${id}/charts/`, chart),
  publicDashboard: () => call<PublicBoard>("GET", "/api/public/dashboard/"),
  publicLinks: (id: number) => list<PublicLink>(`/api/dashboards/${id}/links/`),
  makePublicLink: (id: number, link: { name: string; days: number | null }) =>
    call<MadePublicLink>("POST", `/api/dashboards/${id}/links/`, link),
  endPublicLink: (id: number, link: number) => call<null>("DELETE", `/api/dashboards/${id}/links/${link}/`),
  dashboardVersions: (id: number) => list<BoardVersion>(`/api/dashboards/${id}/versions/?limit=200`),
  sources: async (sources: SourceRef[]) =>
    (await call<{ sources: Source[] }>("POST", "/api/dashboards/sources/", { sources })).sources,
  node: (digest: string) => call<NodeDetail>("GET", `/api/nodes/${one(digest)}/`),
  valueAt: (digest: string, key: string, at: number, knownAt: number | null = null) => {
    const then = knownAt === null ? undefined : { known_at: String(knownAt) };
    const query = new URLSearchParams({ key, at: String(at), ...then });
    return call<{ value: Scalar | null; slope?: number | null }>(
      "GET",
      `/api/nodes/${one(digest)}/timeline/?${query}`,
    );
  },
  why: (question: WhyQuestion) => call<Why>("GET", whyAddress(question)),
  keys: async (digest: string, search: string) =>
    (await fetchPage<KeyRow>(`/api/nodes/${one(digest)}/keys/?search=${one(search)}&limit=50`)).results,
};

/** What to tell a person about anything that was thrown. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const untold = error.problems.filter((problem) => !error.message.includes(problem.message));
  const places = untold.map((problem) => {
    const place = problem.node ?? problem.field ?? "";
    return `${place ? `${place}: ` : ""}${problem.message}`;
  });
  return [error.message, ...places].join(" · ");
}
