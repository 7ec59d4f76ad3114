/**
 * What the charts of a page listen to. A key of a node is followed once however many charts show it, only while one
 * of them is seen, and only from where one of them begins.
 */
import type { ErrorMessage, Kind, RankingMessage } from "../api/types";
import { applyRevision, fromWire, normalise, type Piece, type Revision } from "../lanes/fold";
import type { RankQuestion, TimelineMessage } from "../live/connection";
import { live } from "../live/page";
import { placeAt } from "./series";

/** Told of every change: from which instant on something is different. */
export type Listener = (since: number) => void;

export interface Feed {
  readonly kind: Kind | null;
  readonly pieces: readonly Piece[];
  readonly finalUntil: number | null;
  /** When the newest of it was published, microseconds; null before anything was heard. */
  readonly asOf: number | null;
  readonly heard: boolean;
  readonly error: string | null;
}

export interface Ranked {
  readonly kind: Kind | null;
  readonly rows: readonly { key: string; pieces: readonly Piece[] }[];
  readonly ranked: number;
  readonly total: number;
  readonly finalUntil: number | null;
  readonly asOf: number | null;
  readonly heard: boolean;
  readonly error: string | null;
}

const SILENT: Feed = { kind: null, pieces: [], finalUntil: null, asOf: null, heard: false, error: null };
const UNRANKED: Ranked = {
  kind: null,
  rows: [],
  ranked: 0,
  total: 0,
  finalUntil: null,
  asOf: null,
  heard: false,
  error: null,
};
const AGAIN_MS = 3000;
/** A feed is cut when it has more pieces than this, and most of them lie before what is seen. */
const LONG = 1000;
const EVER = -Infinity;

/** A feed after a message, and since when it is different. */
export function heard(feed: Feed, message: Exclude<TimelineMessage, ErrorMessage>): [Feed, number] {
  const standing = { finalUntil: message.final_until, asOf: message.as_of, heard: true, error: null };
  if (message.type === "progress") return [{ ...feed, ...standing }, Infinity];
  if (message.type === "snapshot") {
    const pieces = normalise(fromWire(message.points));
    return [{ ...feed, kind: message.kind, pieces, ...standing }, EVER];
  }
  const { start, end } = message;
  const pieces = applied(feed.pieces, { start, end, pieces: fromWire(message.pieces) });
  return [{ ...feed, pieces, ...standing }, start ?? EVER];
}

/** `applyRevision`, looking only at what lies near the revision or after it: mostly that is the very end. */
export function applied(pieces: readonly Piece[], revision: Revision): Piece[] {
  const near = revision.start === null ? 0 : Math.max(0, placeAt(pieces, revision.start) - 1);
  return [...pieces.slice(0, near), ...applyRevision(pieces.slice(near), revision)];
}

/** Without the pieces that end before `from`. */
export function cut(pieces: readonly Piece[], from: number): readonly Piece[] {
  const place = placeAt(pieces, from);
  return pieces.length > LONG && place > pieces.length / 2 ? pieces.slice(place) : pieces;
}

interface Place {
  join(): void;
  leave(): void;
}

/** Something that is followed while anybody listens; one that refuses is asked again after a while. */
abstract class Followed<S extends { error: string | null }> {
  private readonly listeners = new Set<Listener>();
  private stop: () => void = () => undefined;
  private timer = 0;
  abstract state: S;

  /** `place`: where it is found while anybody listens. */
  constructor(private readonly place: Place) {}

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      this.place.join();
      this.begin();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.halt();
      this.place.leave();
    };
  }

  protected abstract open(): () => void;

  protected begin(): void {
    this.halt();
    this.stop = this.open();
  }

  private halt(): void {
    window.clearTimeout(this.timer);
    this.stop();
    this.stop = () => undefined;
  }

  protected refused(message: ErrorMessage): void {
    this.become({ ...this.state, error: message.message }, EVER);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.begin(), AGAIN_MS);
  }

  protected become(state: S, since: number): void {
    this.state = state;
    for (const listener of [...this.listeners]) listener(since);
  }
}

export class LaneFeed extends Followed<Feed> {
  state = SILENT;
  private from: number | null = null;
  private readonly needs = new Map<object, number>();

  constructor(
    private readonly digest: string,
    private readonly key: string,
    place: Place,
  ) {
    super(place);
  }

  /** Somebody shows it from here on: ask for more where that is earlier than what there is, forget what is too old. */
  need(from: number, who: object): void {
    this.needs.set(who, from);
    const least = Math.min(...this.needs.values());
    if (this.from === null || least < this.from) {
      const begun = this.from !== null;
      this.from = least;
      if (begun) this.begin();
      return;
    }
    const pieces = cut(this.state.pieces, least);
    if (pieces === this.state.pieces) return;
    this.from = least;
    this.state = { ...this.state, pieces };
  }

  /** Somebody shows it no more. */
  forget(who: object): void {
    this.needs.delete(who);
  }

  protected open(): () => void {
    return live().subscribe(
      this.digest,
      this.key,
      (message) => {
        if (message.type === "error") this.refused(message);
        else this.become(...heard(this.state, message));
      },
      this.from === null ? null : Math.floor(this.from),
    );
  }
}

export class RankFeed extends Followed<Ranked> {
  state = UNRANKED;

  constructor(
    private readonly question: RankQuestion,
    place: Place,
  ) {
    super(place);
  }

  protected open(): () => void {
    return live().rank(this.question, (message) => {
      if (message.type === "error") this.refused(message);
      else this.become(rankedBy(message), EVER);
    });
  }
}

function rankedBy(message: RankingMessage): Ranked {
  const { kind, ranked, total, final_until: finalUntil, as_of: asOf } = message;
  const rows = message.rows.map(({ key, points }) => ({ key, pieces: fromWire(points) }));
  return { kind, rows, ranked, total, finalUntil, asOf, heard: true, error: null };
}

const lanes = new Map<string, LaneFeed>();
const ranks = new Map<string, RankFeed>();

/** One for all who listen to the same. */
function kept<F>(held: Map<string, F>, id: string, make: (place: Place) => F): F {
  const found = held.get(id);
  if (found) return found;
  const made = make({
    join: () => held.set(id, made),
    leave: () => held.get(id) === made && held.delete(id),
  });
  held.set(id, made);
  return made;
}

export const laneFeed = (digest: string, key: string): LaneFeed =>
  kept(lanes, `${digest}\n${key}`, (place) => new LaneFeed(digest, key, place));

export const rankFeed = (question: RankQuestion): RankFeed =>
  kept(ranks, JSON.stringify(question), (place) => new RankFeed(question, place));

/** All that is listened to now. */
export function states(): (Feed | Ranked)[] {
  return [...lanes.values(), ...ranks.values()].map((one) => one.state);
}

/** When the newest of what is shown was published; null where nothing was heard yet. */
export function newestAsOf(): number | null {
  const times = states().flatMap(({ asOf }) => asOf ?? []);
  return times.length === 0 ? null : Math.max(...times);
}
