/** The funnel of a sequence, asked again and again while the page is seen. */
import { useEffect, useState } from "react";
import { describeError } from "../core/api/client";
import type { Funnel } from "../core/api/timelines";
import { fetchFunnel, type FunnelQuestion } from "../core/api/timelineCalls";

const AGAIN_MS = 5000;
const SETTLED_MS = 150;
/** A funnel of many keys takes seconds: most of the time the server has rest from it. */
const REST = 5;

interface FunnelState {
  of: string;
  funnel: Funnel | null;
  failure: string | null;
}

interface FunnelResult {
  funnel: Funnel | null;
  failure: string | null;
}

/** `question` says what is asked at that moment; `of` changes whenever it is another question; null: ask nothing. */
export function useFunnel(digest: string, of: string | null, question: () => FunnelQuestion): FunnelResult {
  const [held, hold] = useState<FunnelState | null>(null);
  const asked = `${digest} ${of}`;
  useEffect(() => {
    if (of === null) return;
    const given = new AbortController();
    let timer = 0;
    const look = async () => {
      const begun = performance.now();
      if (!document.hidden) {
        const put = (funnel: Funnel | null, failure: string | null) =>
          given.signal.aborted || hold({ of: asked, funnel, failure });
        await fetchFunnel(digest, question(), given.signal).then(
          (funnel) => put(funnel, null),
          (error: unknown) => put(null, describeError(error)),
        );
      }
      const took = performance.now() - begun;
      if (!given.signal.aborted)
        timer = window.setTimeout(() => void look(), Math.max(AGAIN_MS, REST * took));
    };
    timer = window.setTimeout(() => void look(), SETTLED_MS);
    return () => {
      given.abort();
      window.clearTimeout(timer);
    };
  }, [digest, of, asked, question]);
  return held?.of === asked ? held : { funnel: null, failure: null };
}
