/** A list that comes in pages: the first, more of them, and all that are shown anew. */
import type { ListPage } from "../api/client";

export interface ListingState<T> {
  /** What was asked for the rows that are shown. */
  address: string | null;
  /** Null: nothing was answered yet. */
  rows: readonly T[] | null;
  next: string | null;
  error: unknown;
  busy: boolean;
}

type Fetch<T> = (address: string, signal: AbortSignal) => Promise<ListPage<T>>;

export class Listing<T> {
  state: ListingState<T> = { address: null, rows: null, next: null, error: null, busy: false };
  private going = new AbortController();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly fetch: Fetch<T>) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly get = (): ListingState<T> => this.state;

  /** Ask for the first page; what is shown stays until it is there. */
  readonly open = (address: string): void =>
    this.ask(async (signal) => {
      const { results, next } = await this.fetch(address, signal);
      return { address, rows: results, next };
    }, address);

  /** Ask for the next page. */
  readonly more = (): void => {
    const { next, rows, busy, address } = this.state;
    if (next === null || busy || address === null) return;
    this.ask(async (signal) => {
      const page = await this.fetch(next, signal);
      return { rows: [...(rows ?? []), ...page.results], next: page.next };
    }, address);
  };

  /** Ask for as many rows as are shown, as they are now; not while something else is asked. */
  readonly again = (): void => {
    const { address, rows, busy } = this.state;
    if (address === null || busy) return;
    this.ask((signal) => this.whole(address, rows?.length ?? 0, signal), address);
  };

  readonly end = (): void => this.going.abort();

  private async whole(address: string, many: number, signal: AbortSignal): Promise<Partial<ListingState<T>>> {
    const rows: T[] = [];
    let next: string | null = address;
    do {
      const page: ListPage<T> = await this.fetch(next, signal);
      rows.push(...page.results);
      next = page.next;
    } while (next !== null && rows.length < many);
    return { rows, next };
  }

  private ask(work: (signal: AbortSignal) => Promise<Partial<ListingState<T>>>, address: string): void {
    this.going.abort();
    const mine = (this.going = new AbortController());
    this.set({ busy: true });
    work(mine.signal).then(
      (found) => {
        if (!mine.signal.aborted) this.set({ ...found, error: null, busy: false });
      },
      (error: unknown) => {
        if (!mine.signal.aborted) this.set({ address, error, busy: false });
      },
    );
  }

  private set(change: Partial<ListingState<T>>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}
