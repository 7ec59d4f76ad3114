/** The time cursor that rows of keys share; each page provides its own. */
import { createContext, useContext, useSyncExternalStore } from "react";

export interface CursorSource {
  subscribe(listener: () => void): () => void;
  read(): number | null;
}

export const RowCursor = createContext<CursorSource>({ subscribe: () => () => undefined, read: () => null });

export function useRowCursor(): number | null {
  const { subscribe, read } = useContext(RowCursor);
  return useSyncExternalStore(subscribe, read);
}
