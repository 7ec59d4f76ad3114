/** What a field says whose keys are not known yet. */
interface KeyLookup {
  readonly keys: readonly unknown[];
  /** Why they could not be read. */
  readonly failure: string | null;
}

/**
 * Why no key is known yet, though there may be some; null once it is known which there are, where some are sought that
 * there are not, and where nobody looks.
 */
export function describeKeyLookup(
  digest: string | null,
  found: KeyLookup | null,
  stands: string | null,
  sought = "",
): string | null {
  if (digest === null) return null;
  if (found === null) return "Loading keys…";
  if (found.failure !== null) return `Could not load its keys; retrying: ${found.failure}`;
  return found.keys.length > 0 || sought !== "" ? null : stands;
}
