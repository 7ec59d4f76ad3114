/** When what was known then is asked for: few questions at a time, whose answers count until the window leaves them. */
import type { AsOfTimeline, Timeline } from "../core/api/types";
import type { Window } from "../timechart/window";
import { isInside, lengthOf, widenWindow } from "../timechart/view";

const MAX_OPEN_REQUESTS = 3;
/** A moment that is still being chosen is asked for once it rests. */
const REST_MS = 150;
/** A lane is asked for at most so often; and so often one of all lanes is compared anew with now. */
const PACE_MS = 1000;
const FAILED_MS = 5000;
/** Where change points are left out, a window so many times closer is asked for by itself. */
const CLOSER = 5;
/** So much of the window ahead of it is asked for before the window gets there. */
const AHEAD = 0.2;

/** What is looked at: what was known when, of which stretch, beside which state of the lane now. */
interface AsOfView {
  readonly knownAt: number;
  readonly window: Window;
  readonly seq: number;
}

/** What is asked for: a timeline, or that and where it differs from now. */
type AnyTimeline = Timeline | AsOfTimeline;

/** What was answered, and for which question. */
export interface AsOfAnswer<Of extends AnyTimeline = AsOfTimeline> {
  readonly of: number;
  /** Of what stretch it tells everything. */
  readonly sheet: Window;
  readonly seq: number;
  readonly then: Of | null;
  readonly failure: string | null;
}

type AsOfQuestion = Pick<AsOfAnswer, "of" | "sheet" | "seq">;
type AsOfExtent = Pick<AsOfAnswer, "of" | "sheet">;

/** Whether it answers for the moment that was chosen and the whole window that is seen. */
export function coversWindow(
  answer: AsOfExtent | null | undefined,
  knownAt: number | null,
  window: Window | undefined,
): boolean {
  return !!answer && answer.of === knownAt && !!window && isInside(window, answer.sheet);
}

const isThinned = ({ then }: AsOfAnswer<AnyTimeline>): boolean => (then?.left_out ?? []).length > 0;

/** What an answer lacks: "now" what is looked at is not in it, "soon" it gets old, null nothing. */
export function judgeUrgency(
  answer: AsOfAnswer<AnyTimeline> | null,
  { knownAt, window, seq }: AsOfView,
): "now" | "soon" | null {
  if (!answer || !coversWindow(answer, knownAt, window)) return "now";
  const length = lengthOf(window);
  if (isThinned(answer) && lengthOf(answer.sheet) > CLOSER * length) return "now";
  const short = window.end + AHEAD * length > answer.sheet.end;
  return short || answer.seq !== seq || answer.failure !== null ? "soon" : null;
}

class LaneRequest<Of extends AnyTimeline> {
  look: AsOfView | null = null;
  answer: AsOfAnswer<Of> | null = null;
  open = false;
  asked = -Infinity;
  /** Not before this. */
  due = 0;
  constructor(
    readonly ask: (question: AsOfQuestion) => Promise<Of>,
    readonly tell: (answer: AsOfAnswer<Of>) => void,
  ) {}

  get need(): "now" | "soon" | null {
    return this.look && judgeUrgency(this.answer, this.look);
  }
}

interface AsOfEnvironment {
  inWords(error: unknown): string;
  /** Nobody looks at the page. */
  away(): boolean;
  clock(): number;
}

/** Asks for all lanes: what is missing first, then one lane a second anew where something was revised since. */
export class AsOfRequests<Of extends AnyTimeline = AsOfTimeline> {
  private readonly all = new Map<string, LaneRequest<Of>>();
  private open = 0;
  private renewed = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly outside: AsOfEnvironment) {}

  begin(name: string, ask: LaneRequest<Of>["ask"], tell: LaneRequest<Of>["tell"]): void {
    this.all.set(name, new LaneRequest(ask, tell));
  }

  end(name: string): void {
    this.all.delete(name);
  }

  /** This is looked at now; null: nothing is asked for. */
  look(name: string, look: AsOfView | null): void {
    const laneRequest = this.all.get(name);
    if (!laneRequest) return;
    const now = this.outside.clock();
    if (look && look.knownAt !== laneRequest.look?.knownAt)
      laneRequest.due = Math.max(now + REST_MS, laneRequest.asked + PACE_MS);
    if (!look) laneRequest.answer = null;
    laneRequest.look = look;
    this.plan();
  }

  private plan(): void {
    clearTimeout(this.timer);
    const now = this.outside.clock();
    const waits = [...this.all].filter(([, laneRequest]) => !laneRequest.open && laneRequest.need !== null);
    const missing = waits.filter(([, laneRequest]) => laneRequest.need === "now").sort(byDue);
    for (const [name, laneRequest] of missing) {
      if (this.open >= MAX_OPEN_REQUESTS) return;
      if (laneRequest.due <= now) void this.ask(name, laneRequest);
    }
    const [old] = waits.filter(([, laneRequest]) => laneRequest.need === "soon").sort(byDue);
    const renewal = old && Math.max(old[1].due, this.renewed + PACE_MS);
    if (old && this.open === 0 && renewal !== undefined && renewal <= now && !this.outside.away()) {
      this.renewed = now;
      void this.ask(...old);
    }
    // While questions are open their answers plan what follows.
    const dues = missing.flatMap(([, laneRequest]) => (laneRequest.open ? [] : laneRequest.due));
    if (this.open === 0 && renewal !== undefined) dues.push(this.outside.away() ? now + PACE_MS : renewal);
    if (dues.length > 0) this.timer = setTimeout(() => this.plan(), Math.max(1, Math.min(...dues) - now));
  }

  private async ask(name: string, laneRequest: LaneRequest<Of>): Promise<void> {
    const { look } = laneRequest;
    if (!look) return;
    const { start, end } = widenWindow(look.window);
    const question = {
      of: look.knownAt,
      seq: look.seq,
      sheet: { start: Math.floor(start), end: Math.ceil(end) },
    };
    laneRequest.open = true;
    laneRequest.asked = this.outside.clock();
    laneRequest.due = laneRequest.asked + PACE_MS;
    this.open += 1;
    const answer = await this.answered(laneRequest, question);
    this.open -= 1;
    laneRequest.open = false;
    // What was answered for another moment tells nothing of the one that is chosen by now.
    if (this.all.get(name) === laneRequest && laneRequest.look?.knownAt === answer.of) {
      laneRequest.answer = answer;
      if (answer.failure !== null) laneRequest.due = this.outside.clock() + FAILED_MS;
      laneRequest.tell(answer);
    }
    this.plan();
  }

  private async answered(laneRequest: LaneRequest<Of>, question: AsOfQuestion): Promise<AsOfAnswer<Of>> {
    try {
      return { ...question, then: await laneRequest.ask(question), failure: null };
    } catch (error) {
      return { ...question, then: null, failure: this.outside.inWords(error) };
    }
  }
}

type Due = [string, Pick<LaneRequest<AnyTimeline>, "asked" | "due">];
const byDue = ([, a]: Due, [, b]: Due): number => a.asked - b.asked || a.due - b.due;
