import { useCallback, useEffect } from "react";
import { formatInstant, formatSecond, formatTime } from "../core/time/format";
import { formatLength } from "../core/ui/format";
import { formatUntilShort } from "../core/ui/freshnessWords";
import { isPublicPage } from "../core/api/publicLink";
import { useLostAt } from "../core/socket/useConnection";
import type { Chart } from "../core/api/dashboards";
import { edgeNow, wallNow } from "./clock";
import { behindOf, newestAsOf } from "./feeds";
import { RedisAway } from "../core/ui/RedisAway";
import { Grid } from "./Grid";
import { TypeSize, useLive } from "./hooks";
import { documentOf, useBoard } from "./store";

/** When nothing came for so long, it is said how long. */
const QUIET = 15_000_000;

/** Keep the screen on, where the browser can. */
function useWakefulness(): void {
  useEffect(() => {
    let lock: { release(): Promise<void> } | null = null;
    const ask = () => {
      if (document.hidden || !("wakeLock" in navigator)) return;
      navigator.wakeLock.request("screen").then(
        (held) => (lock = held),
        () => undefined,
      );
    };
    ask();
    document.addEventListener("visibilitychange", ask);
    return () => {
      document.removeEventListener("visibilitychange", ask);
      void lock?.release();
    };
  }, []);
}

/** Whether something is not known, though the page is connected; that nothing new came is no trouble. */
function isBehind(): boolean {
  return newestAsOf() === null || behindOf()?.late === true;
}

/** What the clock on the wall says: now, though what is shown ended when it was stopped or cut off. */
function clockNow(): number {
  const { follows, now, stopped } = edgeNow();
  return follows === "events" && stopped === null ? now : wallNow();
}

function Updated({ cutOff }: { cutOff: number | null }) {
  const words = useLive(
    useCallback(() => {
      const asOf = newestAsOf();
      if (asOf === null) return "No data yet";
      const { stopped } = edgeNow();
      if (stopped !== null)
        return `Stopped at ${formatInstant(stopped)}, ${formatLength(Math.floor((wallNow() - stopped) / 1e6) * 1e6)} ago`;
      const late = behindOf();
      if (late?.late) {
        const said = formatUntilShort(late);
        return `${said.charAt(0).toUpperCase()}${said.slice(1)}, ${late.words}`;
      }
      const quiet = wallNow() - asOf;
      const ago = quiet > QUIET ? `, ${formatLength(Math.floor(quiet / 1e6) * 1e6)} ago` : "";
      return `Last updated ${formatTime(asOf)}${ago}`;
    }, []),
  );
  const now = useLive(useCallback(() => formatSecond(clockNow()), []));
  const late = useLive(isBehind);
  const tone = cutOff !== null ? "red" : late ? "amber" : "green";
  return (
    <span className="kiosk-updated" data-testid="updated">
      <span className="kiosk-words" title={words}>
        <span className={`dot ${tone}`} aria-hidden="true" /> {words}
      </span>
      <b className="kiosk-clock">{now}</b>
    </span>
  );
}

const fullScreen = (): void => {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen().catch(() => undefined);
};

function useFullScreenKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "f" && !event.ctrlKey && !event.metaKey) fullScreen();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

const NONE: readonly Chart[] = [];

/** A dashboard on a screen of its own: no controls, large type, and honest about when it was last true. */
export function Kiosk() {
  const name = useBoard((state) => state.name);
  const board = useBoard((state) => state.board);
  const failure = useBoard((state) => state.failure);
  const charts = useBoard((state) => documentOf(state).charts);
  const cutOff = useLostAt();
  const isCut = cutOff !== null;
  useWakefulness();
  useFullScreenKey();
  const gone = useBoard((state) => state.gone);
  const isPublic = isPublicPage();
  const lost = failure !== null && (board === null || gone) ? failure : null;
  return (
    <main
      className={`kiosk ${isPublic ? "kiosk-public" : ""} ${isCut ? "kiosk-cut-off" : ""}`}
      data-testid="kiosk-page"
    >
      <header className="kiosk-head">
        <h1>{name}</h1>
        <span className="kiosk-buttons">
          <button type="button" className="quiet" onClick={fullScreen} title="f">
            Full screen
          </button>
          {board && !isPublic && <a href={`/dashboards/${board.id}/${window.location.search}`}>Leave</a>}
        </span>
        <Updated cutOff={cutOff} />
      </header>
      <RedisAway />
      {(isCut || lost !== null) && (
        <p className="kiosk-banner" role="alert" data-testid="cut-off">
          {lost !== null
            ? `${lost}${isPublic ? "" : " Reconnecting."}`
            : `Disconnected since ${formatTime(cutOff ?? 0)}. The charts show that moment. Reconnecting.`}
        </p>
      )}
      <TypeSize value={16}>
        <Grid charts={gone ? NONE : charts} editing={false} kiosk setUp={() => undefined} />
      </TypeSize>
    </main>
  );
}
