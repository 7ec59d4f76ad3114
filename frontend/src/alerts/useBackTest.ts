import { useEffect, useState } from "react";
import { call, describeError } from "../core/api/client";
import type { BackTest, TestedNode } from "./backTest";
import { refusesFlapping, toFlapping, type FlappingDraft } from "./flapping";

/** So long nothing must change before it is asked. */
const REST_MS = 400;

interface BackTestRequest {
  node: TestedNode;
  parameters: Readonly<Record<string, number | string>> | null;
  last: number;
  lane: string | null;
  flapping: FlappingDraft;
}

interface BackTestState {
  test: BackTest | null;
  failure: string | null;
  busy: boolean;
}

/** What the rule would have done; the last answer stays while the next one is computed. Null asks nothing. */
export function useBackTest(asked: BackTestRequest | null): BackTestState {
  const [found, setFound] = useState<BackTestState>({ test: null, failure: null, busy: false });
  const body =
    asked &&
    JSON.stringify({
      ...asked.node,
      ...asked.parameters,
      ...(refusesFlapping(asked.flapping) === null ? toFlapping(asked.flapping) : {}),
      last: asked.last,
      ...(asked.lane === null ? {} : { lane: asked.lane }),
    });
  useEffect(() => {
    if (body === null) return;
    let current = true;
    const timer = setTimeout(() => {
      setFound((before) => ({ ...before, busy: true }));
      call<BackTest>("POST", "/api/alerts/test/", JSON.parse(body)).then(
        (test) => current && setFound({ test, failure: null, busy: false }),
        (error: unknown) => current && setFound({ test: null, failure: describeError(error), busy: false }),
      );
    }, REST_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [body]);
  return found;
}
