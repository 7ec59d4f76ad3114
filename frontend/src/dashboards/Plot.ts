/** One chart over time on the page: Plotly below, the canvas for what may still change above. */
import type { Theme } from "../timechart/colours";
import { plotly, type Plotly } from "../timechart/plotly";
import type { Window } from "../timechart/window";
import { mayDraw } from "./clock";
import { layoutOf, buildMapping, type Box, type Mapping, type Scale } from "./frame";
import type { Moment, Painter } from "./painters";
import { boundScale, scaleOf, UNBOUNDED } from "./series";

const CONFIG = { displayModeBar: false, responsive: false, staticPlot: true, showTips: false };

/** What is drawn, and as what. */
export interface Scene {
  readonly painter: Painter;
  readonly window: Window;
  readonly now: number;
  readonly finalUntil: number | null;
  /** False of what has stopped. */
  readonly goesOn: boolean;
  readonly theme: Theme;
  readonly box: Box;
}

export class Plot {
  private library: Plotly | null = null;
  /** What Plotly drew last, until when it is final, and on which scale. */
  private base: { scene: Scene; until: number; scale: Scale | null; extent: [number, number] | null } | null =
    null;
  private stale = true;
  private sheet = "";
  private last = { now: 0, painter: null as Painter | null };
  /** How often each part was drawn; benchmarks find it at the canvas. */
  readonly drawn = { base: 0, live: 0 };

  constructor(
    private readonly ground: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
  ) {
    Object.assign(canvas, { drawn: this.drawn });
    void plotly().then((library) => (this.library = library));
  }

  /** Something before this instant is different. */
  changed(since: number): void {
    if (this.base === null || since < this.base.until) this.stale = true;
  }

  /** Where instants and values are drawn now. */
  get at(): Mapping | null {
    return this.base && buildMapping(this.base.scene.box, this.base.scene.window, this.base.scale);
  }

  /** Whether it has no values to draw, and so no scale. */
  get isBare(): boolean {
    return this.base !== null && this.base.scene.painter.scaled && this.base.scale === null;
  }

  get window(): Window | null {
    return this.base?.scene.window ?? null;
  }

  /** Draw what is different from what is seen. */
  draw(scene: Scene): void {
    const held = this.base;
    const scale = this.scale(scene);
    const moved =
      held === null ||
      this.stale ||
      held.scene.window.start !== scene.window.start ||
      held.scene.window.end !== scene.window.end ||
      held.scene.theme !== scene.theme ||
      held.scene.box.width !== scene.box.width ||
      held.scene.box.height !== scene.box.height ||
      held.scale?.[0] !== scale?.[0] ||
      held.scale?.[1] !== scale?.[1];
    if (moved && this.library !== null && mayDraw()) this.drawBase(this.library, scene, scale);
    if (this.base !== null) this.drawLive(scene, moved);
  }

  private scale({ painter, window, now }: Scene): Scale | null {
    if (!painter.scaled) return null;
    const until = this.base?.until ?? -Infinity;
    const kept = this.base !== null && !this.stale && this.base.scene.window.start === window.start;
    const from = kept ? Math.max(window.start, until) : window.start;
    const end = Math.min(window.end, now);
    const fresh = from < end ? painter.extent(from, end) : null;
    const before = kept ? (this.base?.extent ?? null) : null;
    const both: [number, number] | null =
      fresh && before ? [Math.min(fresh[0], before[0]), Math.max(fresh[1], before[1])] : (fresh ?? before);
    const scale = this.base?.scale ?? null;
    return boundScale(scaleOf(both, scale && [scale[0], scale[1]]), painter.bounds ?? UNBOUNDED);
  }

  private drawBase(library: Plotly, scene: Scene, scale: Scale | null): void {
    const { window, now, finalUntil, painter, box, theme } = scene;
    // At a whole pixel, so that no seam is seen where one drawing ends and the other begins.
    const at = buildMapping(box, window, scale);
    const final = Math.max(window.start, Math.min(finalUntil ?? window.start, now, window.end));
    const until = Math.max(window.start, at.t(Math.floor(at.x(final))));
    const traces = until > window.start ? painter.traces(this.moment(scene), until) : [];
    const data = traces.length > 0 ? traces : [{ type: "scatter", x: [], y: [] }];
    void library.react(this.ground, data, layoutOf(box, window, scale, theme), CONFIG);
    const extent = painter.scaled && until > window.start ? painter.extent(window.start, until) : null;
    this.base = { scene, until, scale, extent };
    this.stale = false;
    this.drawn.base += 1;
  }

  private drawLive(scene: Scene, moved: boolean): void {
    const held = this.base;
    if (held === null) return;
    const at = buildMapping(held.scene.box, held.scene.window, held.scale);
    const still = Math.abs(at.x(scene.now) - at.x(this.last.now)) < 1;
    if (!moved && still && this.last.painter === scene.painter) return;
    this.last = { now: scene.now, painter: scene.painter };
    const ink = this.fresh(held.scene.box, Math.max(0, Math.floor(at.x(held.until)) - 1));
    if (ink === null) return;
    ink.beginPath();
    ink.rect(at.left, at.top - 1, at.right - at.left, at.bottom - at.top + 2);
    ink.clip();
    const moment = this.moment({ ...scene, window: held.scene.window, theme: held.scene.theme });
    if (held.until < Math.min(moment.window.end, moment.now))
      scene.painter.paint(ink, at, moment, held.until);
    this.markFinal(ink, at, held.until, moment);
    ink.restore();
    this.drawn.live += 1;
  }

  /** Where what may still change begins. */
  private markFinal(ink: CanvasRenderingContext2D, at: Mapping, until: number, moment: Moment): void {
    if (moment.finalUntil === null || until <= moment.window.start || until >= moment.now) return;
    const x = Math.round(at.x(until)) + 0.5;
    ink.strokeStyle = moment.theme.faint;
    ink.lineWidth = 1;
    ink.setLineDash([4, 3]);
    ink.beginPath();
    ink.moveTo(x, at.top);
    ink.lineTo(x, at.bottom);
    ink.stroke();
    ink.setLineDash([]);
  }

  private moment({ window, now, finalUntil, goesOn, theme, box }: Scene): Moment {
    return { window, now, finalUntil, goesOn, theme, columns: Math.max(50, Math.round(box.width)) };
  }

  /**
   * An empty canvas of what lies right of `left`, no larger, for all of it is shown anew; with the pen saved. The font is
   * set where the size is: the browser works out the styles of the page to find it.
   */
  private fresh({ width, height, type }: Box, left: number): CanvasRenderingContext2D | null {
    const sharp = window.devicePixelRatio || 1;
    const ink = this.canvas.getContext("2d");
    if (ink === null) return null;
    const sheet = [left, width, height, type, sharp].join();
    if (this.sheet !== sheet) {
      this.sheet = sheet;
      this.canvas.width = Math.round((width - left) * sharp);
      this.canvas.height = Math.round(height * sharp);
      Object.assign(this.canvas.style, { left: `${left}px`, width: `${width - left}px` });
      ink.font = `${type}px system-ui, sans-serif`;
    }
    ink.setTransform(sharp, 0, 0, sharp, -left * sharp, 0);
    ink.clearRect(left, 0, width - left, height);
    ink.save();
    return ink;
  }

  end(): void {
    this.library?.purge(this.ground);
  }
}
