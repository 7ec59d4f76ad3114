import { useEffect } from "react";
import { live } from "../live/page";
import { begin, end, take } from "./store";

export interface Followed {
  name: string;
  digest: string;
  key: string;
}

const AGAIN_MS = 3000;

/** Follow one lane; a node that refuses (it does not run yet) is asked again after a while. */
function followLane({ name, digest, key }: Followed): () => void {
  begin(name);
  let timer = 0;
  let stop: () => void = () => undefined;
  const start = () => {
    stop = live().subscribe(digest, key, (message) => {
      take(name, message);
      if (message.type !== "error") return;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        stop();
        start();
      }, AGAIN_MS);
    });
  };
  start();
  return () => {
    window.clearTimeout(timer);
    stop();
    end(name);
  };
}

/** A component without a face: while it is there, its lane is followed. */
export function Follow({ name, digest, pinned }: { name: string; digest: string; pinned: string }): null {
  useEffect(() => followLane({ name, digest, key: pinned }), [name, digest, pinned]);
  return null;
}
