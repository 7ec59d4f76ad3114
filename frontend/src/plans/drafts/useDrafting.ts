/** What the studio page does for its draft: save it by itself, be with others on it, lose nothing when it is left. */
import { useEffect } from "react";
import { useStudio } from "../editor/store";
import { joinPlan } from "./planPresence";
import { keepAlive } from "./localDrafts";
import { changed, sendBeforeClosing, retrySaving, hasUnsavedChanges } from "./saving";

function useSaving(): void {
  useEffect(() => {
    keepAlive();
    const unsubscribe = useStudio.subscribe((state, before) => {
      if (state.history.present !== before.history.present || state.saved !== before.saved) changed();
    });
    const warn = (event: BeforeUnloadEvent) => {
      if (hasUnsavedChanges()) event.preventDefault();
    };
    window.addEventListener("online", retrySaving);
    window.addEventListener("pagehide", sendBeforeClosing);
    window.addEventListener("beforeunload", warn);
    return () => {
      unsubscribe();
      window.removeEventListener("online", retrySaving);
      window.removeEventListener("pagehide", sendBeforeClosing);
      window.removeEventListener("beforeunload", warn);
    };
  }, []);
}

function useCompany(): void {
  const plan = useStudio((state) => (state.loaded ? (state.plan?.id ?? null) : null));
  useEffect(() => (plan === null ? undefined : joinPlan(plan)), [plan]);
}

export function useDrafting(): void {
  useSaving();
  useCompany();
}
