/** What the studio page does for its draft: save it by itself, be with others on it, lose nothing when it is left. */
import { useEffect } from "react";
import { useStudio } from "../editor/store";
import { attend } from "./presence";
import { livesOn } from "./localDrafts";
import { changed, lastWords, tryAgain, wouldBeLost } from "./saving";

function useSaving(): void {
  useEffect(() => {
    livesOn();
    const unsubscribe = useStudio.subscribe((state, before) => {
      if (state.history.present !== before.history.present || state.saved !== before.saved) changed();
    });
    const warn = (event: BeforeUnloadEvent) => {
      if (wouldBeLost()) event.preventDefault();
    };
    window.addEventListener("online", tryAgain);
    window.addEventListener("pagehide", lastWords);
    window.addEventListener("beforeunload", warn);
    return () => {
      unsubscribe();
      window.removeEventListener("online", tryAgain);
      window.removeEventListener("pagehide", lastWords);
      window.removeEventListener("beforeunload", warn);
    };
  }, []);
}

function useCompany(): void {
  const plan = useStudio((state) => (state.loaded ? (state.plan?.id ?? null) : null));
  useEffect(() => (plan === null ? undefined : attend(plan)), [plan]);
}

export function useDrafting(): void {
  useSaving();
  useCompany();
}
