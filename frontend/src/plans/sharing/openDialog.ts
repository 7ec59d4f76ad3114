/** The dialogs about the plan that is open: asked for in its menu and in the command palette. */
import { create } from "zustand";
import { api } from "../../core/api/client";
import type { Plan } from "../../core/api/types";
import { get, set } from "../editor/store";
import type { ThingDialog } from "../../core/sharing/ThingDialogs";
import type { SharedThing } from "../../core/sharing/thing";

export const usePlanDialog = create<{ asked: ThingDialog | null }>(() => ({ asked: null }));

export const openPlanDialog = (asked: ThingDialog | null): void => usePlanDialog.setState({ asked });

export function toThing(plan: Plan | null): SharedThing | null {
  if (plan === null) return null;
  const { name, owner, rights, id } = plan;
  return { kind: "plan", name, owner, rights, path: `/api/plans/${id}/` };
}

/** Whose it is now, and what one may do with it. */
export async function refreshOwnership(): Promise<void> {
  const id = get().plan?.id;
  if (id === undefined) return;
  const found = await api.plan(id).catch(() => null);
  const { plan } = get();
  if (!found || plan?.id !== id) return;
  const { owner, owner_kind, rights, open_to_all } = found;
  set({ plan: { ...plan, owner, owner_kind, rights, open_to_all } });
}
