import { useState } from "react";

const readAddress = (name: string): string => new URLSearchParams(window.location.search).get(name) ?? "";

function keepInAddress(name: string, value: string): void {
  const address = new URL(window.location.href);
  if (value === "") address.searchParams.delete(name);
  else address.searchParams.set(name, value);
  window.history.replaceState(null, "", address);
}

/** One of these values, or none: kept in the address of the page. */
export function useFilter<T extends string>(
  name: string,
  values: readonly T[],
): readonly [T | "", (value: T | "") => void] {
  const [value, setValue] = useState<T | "">(() => values.find((one) => one === readAddress(name)) ?? "");
  const choose = (next: T | "") => {
    keepInAddress(name, next);
    setValue(next);
  };
  return [value, choose];
}
