import { useCallback, useEffect, useState } from "react";

const REST_MS = 250;

const ofAddress = (): string => new URLSearchParams(window.location.search).get("q") ?? "";

function keep(text: string): void {
  const address = new URL(window.location.href);
  if (text.trim() === "") address.searchParams.delete("q");
  else address.searchParams.set("q", text.trim());
  if (address.href !== window.location.href) window.history.replaceState(null, "", address);
}

export interface Query {
  text: string;
  /** What is asked: the text, once nobody types any more. */
  asked: string;
  /** At once: of what is chosen, not typed. */
  set: (text: string, atOnce?: boolean) => void;
}

/** What a list is searched for: kept in the address of the page. */
export function useQuery(): Query {
  const [text, setText] = useState(ofAddress);
  const [asked, setAsked] = useState(() => ofAddress().trim());
  useEffect(() => {
    const timer = window.setTimeout(() => setAsked(text.trim()), REST_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  useEffect(() => keep(asked), [asked]);
  useEffect(() => {
    const back = () => setText(ofAddress());
    window.addEventListener("popstate", back);
    return () => window.removeEventListener("popstate", back);
  }, []);
  const set = useCallback((next: string, atOnce = false) => {
    setText(next);
    if (atOnce) setAsked(next.trim());
  }, []);
  return { text, asked, set };
}
