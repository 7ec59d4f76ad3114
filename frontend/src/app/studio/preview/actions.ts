/** The preview is asked of the server: every node's answer on the newest events, in a child with limits. */
import { ApiError, isTransient } from "../../../core/api/client";
import { drawnIn, documentOf, get as studio, set as setStudio } from "../../../plans/editor/store";
import { EVERYONE } from "../../../core/search/keySource";
import { setPinned, useLanes } from "../../../live/store";
import { keepKnownValue } from "../../../samples/actions";
import { calls } from "../../../core/api/sampleCalls";
import type { Evaluated } from "../../../core/api/samples";
import { previewOf } from "./preview";

/** Of each stream. */
export const NEWEST = 2_000;
/** While the server computes for others. */
export const AGAIN_MS = 3_000;

const set = useLanes.setState;
let asked = 0;

/** There is no preview (any more), also where one is being computed. */
export function drop(): void {
  asked += 1;
  set({ preview: null });
  setStudio({ sampleWarnings: null });
}

/**
 * Of the keys that are pinned those stay that the answer knows. Others give way to its first ones, but only where none
 * was pinned or nothing else has that key. Whether all stay.
 */
function keepPinned({ keys, key_count, groups, group_count }: Evaluated, mayPin: boolean): boolean {
  const { key, group } = useLanes.getState();
  const named = groups.filter((one) => one !== EVERYONE);
  const next = {
    key: mayPin || key === "" ? keepKnownValue(key, keys, key_count) : key,
    group: mayPin || group === "" ? keepKnownValue(group, named, group_count) : group,
  };
  if (next.key !== key) setPinned("key", next.key);
  if (next.group !== group) setPinned("group", next.group);
  return next.key === key && next.group === group;
}

/** That a stream has no events yet is no mistake of the plan. */
const warningsOf = ({ warnings, events }: Evaluated) =>
  warnings.filter(({ stream }) => stream == null || events[stream] !== 0);

function questionOf() {
  const document = documentOf(studio());
  const { key, group } = useLanes.getState();
  const keys = [key, group].filter((one) => one !== "");
  const asked = keys.length > 0 ? { keys: [...keys, EVERYONE] } : { most: 1 };
  return { document, newest: NEWEST, partly: true as const, draft_of: drawnIn(studio()), ...asked };
}

/** Compute it of what is drawn; whether the server was too busy and is to be asked again. */
export async function compute(mayPin: boolean): Promise<boolean> {
  asked += 1;
  const turn = asked;
  const question = questionOf();
  try {
    const answer = await calls.evaluate(question);
    if (turn !== asked) return false;
    // Other keys are asked for in a second turn, which the change of them brings about.
    if (!keepPinned(answer, mayPin)) return false;
    set({ preview: previewOf(answer) });
    setStudio({ sampleWarnings: { document: question.document, problems: warningsOf(answer) } });
  } catch (error) {
    if (turn !== asked) return false;
    if (error instanceof ApiError && !isTransient(error)) drop();
    else return true;
  }
  return false;
}

/** What counts as missing for nodes that run. A condition that the newest events do not meet may have been met before. */
const MISSED = ["mistyped", "undefined_value"];

/** Ask which of the newest events' values the nodes of a plan miss that runs; whether the server is to be asked again. */
export async function warnOfRunning(): Promise<boolean> {
  const document = documentOf(studio());
  if (studio().sampleWarnings?.document === document) return false;
  asked += 1;
  const turn = asked;
  try {
    const question = {
      document,
      newest: NEWEST,
      partly: true as const,
      draft_of: drawnIn(studio()),
      most: 0,
    };
    const { warnings } = await calls.evaluate(question);
    const problems = warnings.filter(({ code }) => MISSED.includes(code));
    if (turn === asked) setStudio({ sampleWarnings: { document, problems } });
    return false;
  } catch (error) {
    return turn === asked && isTransient(error);
  }
}
