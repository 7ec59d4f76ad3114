/** A sample that a person pasted or chose, before the server has seen it. */

export interface Sample {
  /** What the file is called; empty where it was pasted. */
  file: string;
  body: Blob;
}

const MOST = 8 * 2 ** 20;
const ENOUGH = 2 ** 20;

/** Why it cannot be sent, or null. */
export function refusesSample({ body }: Sample): string | null {
  if (body.size === 0) return "It is empty.";
  if (body.size <= MOST) return null;
  return `It has ${(body.size / 2 ** 20).toFixed(1)} MiB; at most 8 MiB are analyzed. Use a part of it.`;
}

/** As much of it as a guess needs: of lines the first ones, of other formats all. */
export async function cutForGuess(body: Blob): Promise<Blob> {
  if (body.size <= ENOUGH) return body;
  const head = new Uint8Array(await body.slice(0, ENOUGH).arrayBuffer());
  const first = head.find((byte) => byte > 32 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  const isWhole = first === "[".charCodeAt(0) || String.fromCharCode(...head.slice(0, 4)) === "PAR1";
  const end = head.lastIndexOf("\n".charCodeAt(0));
  return isWhole || end < 0 ? body : body.slice(0, end);
}

/** A name for the stream, from that of the file. */
export function suggestName(file: string): string {
  const stem = file.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9]+/g, "_");
  const name = stem.replace(/^_+|_+$/g, "").toLowerCase();
  return /^[0-9]/.test(name) ? `stream_${name}` : name;
}
