/** What the forms of charts are filled from: searched on the server, and only what is chosen is read whole. */
import { api, fetchPage, read } from "../core/api/client";
import type { BoardSummary } from "../core/api/dashboards";
import { streamApi } from "../core/api/streams";
import type { PlanDocument, Stream } from "../core/api/types";
import type { Choices } from "../core/search/choices";
import type { SearchAnswer } from "../core/search/results";
import { shownOf } from "../core/search/options";
import { allOperators } from "../core/search/values";
import type { PlanContext } from "./nodes";

const FEW = 20;

async function searchPlans(q: string, limit: number, signal?: AbortSignal): Promise<SearchAnswer> {
  const wanted = new URLSearchParams({ kind: "plan", q, limit: String(limit) });
  return read<SearchAnswer>(`/api/search/?${wanted}`, signal);
}

export async function findPlans(text: string, signal: AbortSignal): Promise<Choices> {
  const { results, more } = await searchPlans(text, FEW, signal);
  return { choices: results.map((result) => ({ ...shownOf(result), id: result.id })), more: more.length > 0 };
}

/** Dashboards that one may change, the one that was changed last first. */
export const findBoards = (text: string, signal?: AbortSignal): Promise<Choices> =>
  searchBoards({ may: "edit", q: text }, signal);

/** The same of all dashboards that one may view. */
export const findReadableBoards = (text: string, signal?: AbortSignal): Promise<Choices> =>
  searchBoards({ q: text }, signal);

async function searchBoards(asked: Record<string, string>, signal?: AbortSignal): Promise<Choices> {
  const wanted = new URLSearchParams({ ...asked, limit: String(FEW) });
  const { results, next } = await fetchPage<BoardSummary>(`/api/dashboards/?${wanted}`, signal);
  const choices = results.map(({ id, name, charts, owner, owner_kind }) => ({
    id: String(id),
    title: name,
    note: `${charts} ${charts === 1 ? "chart" : "charts"}`,
    owner: owner_kind === "team" ? `team ${owner}` : owner,
    tone: null,
  }));
  return { choices, more: next !== null };
}

interface AlertChoice {
  id: number;
  name: string;
  node: string;
  plan_name: string;
  owner: string;
}

/** Alerts that one may view. */
export async function findAlerts(text: string, signal: AbortSignal): Promise<Choices> {
  const wanted = new URLSearchParams({ q: text, limit: String(FEW) });
  const { results, next } = await fetchPage<AlertChoice>(`/api/alerts/?${wanted}`, signal);
  const choices = results.map(({ id, name, node, plan_name, owner }) => ({
    id: String(id),
    title: name,
    note: `${node} in ${plan_name}`,
    owner,
    tone: null,
  }));
  return { choices, more: next !== null };
}

/** What an alert is called; empty where it may not be seen (any more). */
export const nameOfAlert = (id: number): Promise<string> =>
  read<AlertChoice>(`/api/alerts/${id}/`).then(
    ({ name }) => name,
    () => "",
  );

/** Nodes of one plan by their names and their operators; the plan is read already. */
export function findNodes({ plan, operators }: PlanContext): (text: string) => Promise<Choices> {
  return (text) => {
    const words = text.toLowerCase().split(/\s+/);
    const fitting = Object.entries(plan.document.nodes).flatMap(([id, { op }]) => {
      const title = operators.get(op)?.title ?? op;
      const told = `${id} ${op} ${title}`.toLowerCase();
      return words.every((word) => told.includes(word))
        ? [{ id, title: id, note: title, owner: "", tone: null }]
        : [];
    });
    return Promise.resolve({ choices: fitting, more: false });
  };
}

/** The streams that a plan reads, as far as one may look at them. */
async function streamsOf(document: PlanDocument): Promise<Stream[]> {
  const names = new Set(Object.values(document.nodes).flatMap(({ stream }) => stream ?? []));
  const found = await Promise.all([...names].map((name) => streamApi.stream(name).catch(() => null)));
  return found.filter((one) => one !== null);
}

/** A plan, and what its nodes give. */
export async function knownPlan(id: number): Promise<PlanContext> {
  const [plan, operators] = await Promise.all([api.plan(id), allOperators()]);
  const told = new Set(plan.nodes.map(({ name }) => name));
  const isTold = Object.keys(plan.document.nodes).every((name) => told.has(name));
  const streams = isTold ? [] : await streamsOf(plan.document);
  return {
    plan,
    operators: new Map(operators.map((operator) => [operator.name, operator])),
    streams: new Map(streams.map((stream) => [stream.name, stream])),
  };
}

/** The plan that a new chart is likely of: one that runs, else the one that was changed last. */
export async function likelyPlan(): Promise<PlanContext | null> {
  for (const q of ["is:running", ""]) {
    const [first] = (await searchPlans(q, 1)).results;
    if (first) return knownPlan(Number(first.id));
  }
  return null;
}
