/** Taking what is imported: in place of what is drawn, added to it, or as a plan of its own. */
import { api, describeError } from "../../core/api/client";
import type { PlanDocument } from "../../core/api/types";
import { copyDisplays } from "../editor/displays";
import { addResults } from "../editor/withResults";
import { replaceDocument } from "../editor/edits";
import { withLayout } from "../editor/firstLayout";
import { planNumber } from "../drafts/planActions";
import { documentOf, get, set } from "../editor/store";
import { zoomToFit } from "../editor/view";
import { merge } from "../../core/graph/merge";
import type { ImportMode } from "./Preview";
import type { Incoming } from "./readImport";
import { closeImport } from "./store";
import { keepTests } from "./tests";

const NO_NAMES: ReadonlyMap<string, string> = new Map();

interface Brought {
  words: string;
  isWhole: boolean;
}

/** The tests that come along are kept with the plan, which is saved for that; what stays behind is told. */
async function bring(
  { tests, display }: Incoming,
  plan: () => Promise<number>,
  names: ReadonlyMap<string, string>,
): Promise<Brought> {
  if (Object.keys(display).length > 0) {
    const lost = await plan()
      .then((number) => copyDisplays(number, display, names))
      .then(() => null, describeError);
    if (lost !== null) return { words: ` Its colours and labels could not be kept: ${lost}`, isWhole: false };
  }
  if (tests === null || typeof tests === "string") return { words: "", isWhole: true };
  const failures = await plan().then(
    (number) => keepTests(number, tests, names),
    (error: unknown) => [describeError(error)],
  );
  if (failures.length > 0)
    return { words: ` Not all of its tests could be kept: ${failures.join(" ")}`, isWhole: false };
  const count = tests.tests.length;
  return { words: count === 1 ? " Its test is kept." : ` Its ${count} tests are kept.`, isWhole: true };
}

/** Keep it as a new plan, and open that. */
async function makePlan(document: PlanDocument, incoming: Incoming): Promise<void> {
  const plan = await api.createPlan({ name: document.name, document: addResults(document) });
  const { words, isWhole } = await bring(incoming, () => Promise.resolve(plan.id), NO_NAMES);
  if (!isWhole) throw new Error(`Created plan “${document.name}”.${words}`);
  window.location.assign(`/plans/${plan.id}/`);
}

/** Do with it what was chosen; throws where that cannot be. `testsKept` is called once its tests are kept with the plan. */
export async function applyImport(
  incoming: Incoming,
  way: ImportMode,
  testsKept: () => Promise<void>,
): Promise<void> {
  const { document } = incoming;
  if (document === null) return;
  const now = documentOf(get());
  const named = { ...document, name: document.name ?? now.name };
  if (way === "copy") return makePlan(named, incoming);
  const laid = await withLayout(named, get().operators);
  const merged = way === "add" ? merge(documentOf(get()), laid, get().operators) : null;
  replaceDocument(merged?.document ?? laid, null);
  closeImport();
  zoomToFit();
  const words = way === "add" ? "Added. Undo removes it." : "Imported. Undo restores the plan.";
  set({ notice: { tone: "good", text: words } });
  const brought = await bring(incoming, planNumber, merged?.names ?? NO_NAMES);
  if (brought.words === "") return;
  set({ notice: { tone: brought.isWhole ? "good" : "bad", text: words + brought.words } });
  await testsKept();
}
