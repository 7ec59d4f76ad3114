/** ELK in a worker of its own, loaded when a plan is first laid out. */
import ELK from "elkjs/lib/elk-api.js";
import workerAddress from "elkjs/lib/elk-worker.min.js?url";

let engine: InstanceType<typeof ELK> | null = null;

export function layoutEngine(): Promise<InstanceType<typeof ELK>> {
  engine ??= new ELK({ workerUrl: workerAddress, workerFactory: (url) => new Worker(url ?? workerAddress) });
  return Promise.resolve(engine);
}
