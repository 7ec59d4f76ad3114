import { useEffect } from "react";

/** What the tab of the browser is called. */
export function useTitle(name: string): void {
  useEffect(() => {
    document.title = name === "" ? "Timelines" : `${name} · Timelines`;
  }, [name]);
}
