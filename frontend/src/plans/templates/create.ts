/** Makes a plan of a template: its streams, a sample of its events, and the plan itself. */
import { api } from "../../core/api/client";
import { calls } from "../../core/api/sampleCalls";
import type { PlanDocument } from "../../core/api/types";
import { omitKey } from "../../core/graph/records";
import { withLayout } from "../editor/firstLayout";
import { get } from "../editor/store";
import { addResults } from "../editor/withResults";
import { declareStreams, renameStreams, type Declarations } from "./streams";
import type { Template } from "./templates";

async function readDocument({ title, plan }: Template): Promise<PlanDocument> {
  const { document } = await api.readText(`${plan.join("\n")}\n`, null);
  if (document === null) throw new Error(`The template “${title}” cannot be read. Reload the page.`);
  return { ...document, name: title };
}

/** The address of the new plan, where its lanes show the events of the sample. */
export async function createPlan(template: Template): Promise<string> {
  const document = await readDocument(template);
  const { streams, operators } = get();
  const names = await declareStreams((document.streams ?? {}) as Declarations, streams);
  const events = Object.entries(template.events).map(([name, some]) => [names[name] ?? name, some]);
  await calls.keep(template.title, Object.fromEntries(events) as Template["events"]);
  const bare = omitKey(document, "streams") as PlanDocument;
  const laid = await withLayout(renameStreams(bare, names), operators);
  const plan = await api.createPlan({ name: template.title, document: addResults(laid) });
  return `/plans/${plan.id}/?tests=1`;
}
