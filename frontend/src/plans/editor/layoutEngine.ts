/** ELK in a worker of its own, loaded when a plan is first laid out. */
import ELK from "elkjs/lib/elk-api.js";
import type { ELK as Elk } from "elkjs/lib/elk-api";
import workerAddress from "elkjs/lib/elk-worker.min.js?url";

export type LayoutEngine = Pick<Elk, "layout">;

let engine: LayoutEngine | null = null;

/** A worker that cannot be loaded, or ends, answers nothing; here it says so. */
function begin(): LayoutEngine {
  const worker = new Worker(workerAddress);
  const broken = new Promise<never>((_, reject) => {
    worker.addEventListener("error", () => {
      engine = null;
      reject(new Error("The layout could not be made: its worker did not start. Try again."));
    });
  });
  broken.catch(() => undefined);
  const elk = new ELK({ workerFactory: () => worker });
  return { layout: (graph, ...rest) => Promise.race([elk.layout(graph, ...rest), broken]) };
}

export function layoutEngine(): LayoutEngine {
  engine ??= begin();
  return engine;
}
