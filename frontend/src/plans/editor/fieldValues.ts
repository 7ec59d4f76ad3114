/** The values that the newest events of streams have, as they are suggested; read anew after a while. */
import { useEffect } from "react";
import { create } from "zustand";
import { streamApi, type StreamValues } from "../../core/api/streams";

const KEPT_MS = 60_000;

interface CachedValues {
  readonly at: number;
  readonly values: StreamValues | null;
}

const useKept = create<Readonly<Record<string, CachedValues>>>(() => ({}));

/** Of what cannot be read nothing is suggested. */
async function read(stream: string): Promise<void> {
  const held = useKept.getState()[stream];
  if (held && Date.now() - held.at < KEPT_MS) return;
  useKept.setState({ [stream]: { at: Date.now(), values: held?.values ?? null } });
  const values = await streamApi.values(stream).catch(() => null);
  if (values !== null) useKept.setState({ [stream]: { at: Date.now(), values } });
}

export function useFieldValues(stream: string | undefined): StreamValues | null {
  useEffect(() => {
    if (stream !== undefined) void read(stream);
  }, [stream]);
  return useKept((state) => (stream === undefined ? null : (state[stream]?.values ?? null)));
}
