/** Light, dark, or as the system is: written on the page by the server, changed in the account menu. */
import { useSyncExternalStore } from "react";
import type { Wire } from "../api/wire";

export type Theme = Wire<"Me">["theme"];

const listeners = new Set<() => void>();
const darkness = (): MediaQueryList => window.matchMedia("(prefers-color-scheme: dark)");

export function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  const query = darkness();
  query.addEventListener("change", listener);
  listeners.add(listener);
  return () => {
    query.removeEventListener("change", listener);
    listeners.delete(listener);
  };
}

const isDark = (): boolean => {
  const theme = readTheme();
  return theme === "system" ? darkness().matches : theme === "dark";
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);
export const useDark = (): boolean => useSyncExternalStore(subscribe, isDark);
