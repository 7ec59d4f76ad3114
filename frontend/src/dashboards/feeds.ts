/**
 * What the charts of a page listen to. A key of a node is followed once however many charts show it thinned, and once
 * more where others need all of it (both count toward what a socket follows at most); only while one of them is seen, and only
 * from where one of them begins.
 */
import type { Behind, ErrorMessage, LeftOut, RankingMessage } from "../core/api/types";
import {
  applyRevision,
  parsePieces,
  indexAt,
  indexAtOrFirst,
  normalise,
  type Piece,
  type Revision,
} from "../timechart/pieces";
import { leftOutAfter } from "../timechart/lane";
import type { Window } from "../timechart/window";
import type { TimelineMessage } from "../core/socket/connection";
import { findFarthestBehind } from "../core/socket/freshness";
import { getConnection } from "../core/socket/pageConnection";
import type { RankQuestion } from "../core/socket/questions";
import { SILENT, toFeedProgress, UNRANKED, type Feed, type Ranked } from "./feedState";
import { EVER, Followed, getOrCreate, type Subscription } from "./followed";
import { keysFeeds } from "./keysFeed";

export { SILENT, type Feed, type Ranked };
export type { Listener } from "./followed";

/** A feed is cut when it has more pieces than this, and most of them lie before what is seen. */
const LONG = 1000;
/** A feed after a message, and since when it is different. */
export function applyMessage(feed: Feed, message: Exclude<TimelineMessage, ErrorMessage>): [Feed, number] {
  const standing = toFeedProgress(message);
  if (message.type === "progress") return [{ ...feed, ...standing }, Infinity];
  if (message.type === "snapshot") {
    const pieces = normalise(parsePieces(message.points));
    return [{ ...feed, kind: message.kind, pieces, leftOut: message.left_out ?? [], ...standing }, EVER];
  }
  const { start, end } = message;
  const pieces = applyRevisionNearEnd(feed.pieces, { start, end, pieces: parsePieces(message.pieces) });
  const leftOut = leftOutAfter(feed.leftOut, message);
  return [{ ...feed, pieces, leftOut, ...standing }, start ?? EVER];
}

/** `applyRevision`, looking only at what lies near the revision or after it: mostly that is the very end. */
export function applyRevisionNearEnd(pieces: readonly Piece[], revision: Revision): Piece[] {
  const near = revision.start === null ? 0 : Math.max(0, indexAt(pieces, revision.start) - 1);
  return [...pieces.slice(0, near), ...applyRevision(pieces.slice(near), revision)];
}

/** Without the pieces that end before `from`. */
export function cutBefore(pieces: readonly Piece[], from: number): readonly Piece[] {
  const place = indexAtOrFirst(pieces, from);
  return pieces.length > LONG && place > pieces.length / 2 ? pieces.slice(place) : pieces;
}

/** A feed that is thinned has for so many pixels what is looked at, and as much again of what is to come. */
const POINTS = 1200;
const CLOSE = 5;

/** What of time is looked at closely: where what is seen is live, with room for what comes. */
export function closely(from: number, end: number): [from: number, to: number] {
  return [Math.floor(from), Math.ceil(end + (end - from) / 2)];
}

/** Whether a closer or a later look would tell more of what is left out. */
export function needsLook(
  leftOut: readonly LeftOut[],
  { start, end }: Window,
  held: [number, number],
): boolean {
  if (!leftOut.some((one) => one.from < end && one.to > start)) return false;
  return end > held[1] || held[1] - held[0] > CLOSE * (end - start);
}

export class LaneFeed extends Followed<Feed> {
  state = SILENT;

  protected nothing(): Feed {
    return SILENT;
  }
  private from: number | null = null;
  private detail: [number, number] = [0, 0];
  private readonly needs = new Map<object, Window>();

  constructor(
    readonly digest: string,
    private readonly key: string,
    private readonly thinned: boolean,
    place: Subscription,
  ) {
    super(place);
  }

  /** Somebody shows this much: ask for more where that is earlier or closer than what there is, forget what is too old. */
  need(stretch: Window, who: object): void {
    this.needs.set(who, stretch);
    const all = [...this.needs.values()];
    const least = Math.min(...all.map(({ start }) => start));
    const seen = { start: least, end: Math.max(...all.map(({ end }) => end)) };
    const later = this.from === null || least < this.from;
    if (later || needsLook(this.state.leftOut, seen, this.detail)) {
      const begun = this.from !== null;
      this.from = least;
      this.detail = closely(least, seen.end);
      if (begun) this.begin();
      return;
    }
    const pieces = cutBefore(this.state.pieces, least);
    if (pieces === this.state.pieces) return;
    this.from = least;
    const leftOut = this.state.leftOut.filter((one) => one.to > least);
    this.state = { ...this.state, pieces, leftOut };
  }

  /** Somebody shows it no more. */
  forget(who: object): void {
    this.needs.delete(who);
  }

  protected open(): () => void {
    const from = this.from === null ? null : Math.floor(this.from);
    const take = (message: TimelineMessage): void => {
      if (message.type === "error") this.refused(message);
      else this.become(...applyMessage(this.state, message));
    };
    if (!this.thinned) return getConnection().subscribe(this.digest, this.key, take, from);
    const detail = from === null ? null : this.detail;
    return getConnection().look(this.digest, this.key, () => ({ points: POINTS, detail, from }), take).end;
  }
}

export class RankFeed extends Followed<Ranked> {
  state = UNRANKED;

  protected nothing(): Ranked {
    return UNRANKED;
  }

  constructor(
    readonly question: RankQuestion,
    place: Subscription,
  ) {
    super(place);
  }

  protected open(): () => void {
    return getConnection().rank(this.question, (message) => {
      if (message.type === "error") this.refused(message);
      else this.become(rankedBy(message), EVER);
    });
  }
}

function rankedBy(message: RankingMessage): Ranked {
  const { kind, ranked, total } = message;
  const rows = message.rows.map(({ key, points }) => ({ key, pieces: parsePieces(points) }));
  return { kind, rows, ranked, total, ...toFeedProgress(message) };
}

const lanes = new Map<string, LaneFeed>();
const ranks = new Map<string, RankFeed>();

/** One key of a node: all of it, or thinned for what is drawn. */
export const laneFeed = (digest: string, key: string, thinned = false): LaneFeed =>
  getOrCreate(lanes, `${digest}\n${key}\n${thinned}`, (place) => new LaneFeed(digest, key, thinned, place));

export const rankFeed = (question: RankQuestion): RankFeed =>
  getOrCreate(ranks, JSON.stringify(question), (place) => new RankFeed(question, place));

/** All that is listened to now. */
export function listFeedStates(): (Feed | Ranked)[] {
  return [...lanes.values(), ...ranks.values(), ...keysFeeds()].map((one) => one.state);
}

/** How far behind a node is, or the one of all that are shown that is farthest behind. */
export function behindOf(digest: string | null = null): Behind | null {
  const some = [
    ...[...lanes.values()].filter((one) => digest === null || one.digest === digest),
    ...[...ranks.values()].filter((one) => digest === null || one.question.node === digest),
    ...keysFeeds().filter((keysFeed) => digest === null || keysFeed.digest === digest),
  ];
  return findFarthestBehind(some.map((one) => one.state));
}

/** When the newest of what is shown was published; null where nothing was heard yet. */
export function newestAsOf(): number | null {
  const times = listFeedStates().flatMap(({ asOf }) => asOf ?? []);
  return times.length === 0 ? null : Math.max(...times);
}
