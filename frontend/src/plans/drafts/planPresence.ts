/** Presence on a plan: who else is here, and what they changed. */
import { api } from "../../core/api/client";
import type { PlanMessage } from "../../core/api/types";
import { check } from "./planActions";
import { buildInitialState, get, set, useStudio } from "../editor/store";
import { getConnection } from "../../core/socket/pageConnection";
import { markDeleted, receiveOthersSave, mergeHeldDraft } from "./saving";
import { forgetDraft, setDraft } from "./store";

const SELECTED = 50;

function receivePlanMessage(message: PlanMessage): void {
  const { plan } = get();
  if (message.deleted) {
    markDeleted();
    return;
  }
  setDraft({ newest: message.newest ?? null });
  if (message.version !== undefined) receiveOthersSave(message.version, message.saved_by ?? null);
  if (plan && (message.running !== plan.running || message.running_version !== plan.running_version))
    void lookAgain(plan.id);
}

/** Load the nodes of a plan that was run or stopped; its draft is synchronized elsewhere. */
async function lookAgain(id: number): Promise<void> {
  const found = await api.plan(id).catch(() => null);
  const { plan, busy } = get();
  if (!found || plan?.id !== id || busy !== null) return;
  set({ plan: mergeHeldDraft(plan, found) });
  if (found.running) return;
  set({ statuses: {} });
  void check();
}

/** Clear the page of a plan that is no longer shared. */
function loseAccess(): void {
  set(buildInitialState());
  forgetDraft();
  const text = "This plan is no longer shared with you. Its owner or an administrator can share it again.";
  set({ notice: { tone: "bad", text } });
}

/** Join a plan; the returned function leaves it. */
export function joinPlan(plan: number): () => void {
  const { select, leave } = getConnection().attend(
    plan,
    (message) => {
      if (message.type === "people") setDraft({ people: message.people });
      else receivePlanMessage(message);
    },
    loseAccess,
  );
  select(get().selected.slice(0, SELECTED));
  const unsubscribe = useStudio.subscribe((state, before) => {
    if (state.selected !== before.selected) select(state.selected.slice(0, SELECTED));
  });
  return () => {
    unsubscribe();
    leave();
    setDraft({ people: [] });
  };
}
