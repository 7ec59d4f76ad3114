/** What a connection needs of the browser. */

export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
}

export interface Surroundings {
  open(): Socket;
  later(action: () => void, ms: number): () => void;
  /** The wall clock, microseconds. */
  now(): number;
  refused(): void;
}
