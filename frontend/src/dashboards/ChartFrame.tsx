import { Download, FolderOpen, Image } from "lucide-react";
import { useCallback, useMemo, useState, type KeyboardEvent } from "react";
import type { Chart, ChartType, Source } from "../core/api/dashboards";
import { OF_MANY, OF_ONE, Reading } from "./charts";
import { hasNode, ofOneKey, removeChart, titleOf } from "./document";
import { behindOf, laneFeed } from "./feeds";
import { useLive } from "./hooks";
import { formatUntilShort, describeUntil } from "../core/ui/freshnessWords";
import { Picture } from "../core/ui/Glyph";
import { MoreButton } from "../core/ui/ContextMenu";
import type { MenuGroups } from "../core/ui/MenuList";
import { exportChart, exportPicture } from "./exporting";
import { formatTime } from "../core/time/format";
import { nudgeChart, stretchChart } from "./grid";
import { change, chosenOf, cursorOf, documentOf, get, set, sourceId, useBoard } from "./store";
import { AlertTile } from "./alertTiles";
import { ChartLinkMark, linkItems } from "./ChartLinkMark";
import { TextChart } from "./TextChart";
import { describeNode, findChartProblem, type ChartProblem } from "./words";
import { placeCharts } from "./document";
import { isPublicPage } from "../core/api/publicLink";
import { EVERYONE } from "../core/search/keySource";

const STEPS: Readonly<Record<string, [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Arrange by keyboard: arrows move, with Shift they resize, Enter sets up, Delete removes. */
function onKey(event: KeyboardEvent, chart: Chart, setUp: () => void): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = STEPS[event.key];
  if (step) {
    event.preventDefault();
    const way = event.shiftKey ? stretchChart : nudgeChart;
    change((document) => placeCharts(document, way(document.charts, chart.id, ...step)));
    const [x, y, wide, high] =
      documentOf(get()).charts.find((one) => one.id === chart.id)?.place ?? chart.place;
    set({ said: `${titleOf(chart)}: column ${x + 1}, row ${y + 1}, ${wide} wide, ${high} high` });
  } else if (event.key === "Enter") {
    event.preventDefault();
    setUp();
  } else if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    change((document) => removeChart(document, chart.id));
    set({ said: `${titleOf(chart)} was removed` });
  }
}

function TroubleSign({ trouble, chart, source }: { trouble: ChartProblem; chart: Chart; source: Source }) {
  return (
    <div
      className={`trouble ${trouble.past ? "trouble-strip" : ""} ${trouble.calm ? "trouble-calm" : ""}`}
      role="status"
    >
      <b>{trouble.title}.</b> <span>{trouble.hint}</span>{" "}
      {source.state !== "deleted" && !isPublicPage() && <a href={`/plans/${chart.plan}/`}>Open the plan</a>}
    </div>
  );
}

interface BodyProps {
  chart: Chart;
  source: Source;
  pinned: string;
  kiosk: boolean;
}

function Unchosen({ grouped, kiosk }: { grouped: boolean; kiosk: boolean }) {
  const what = grouped ? "group" : "key";
  return (
    <p className="chart-empty faint">
      {kiosk
        ? isPublicPage()
          ? `No ${what} is selected on the dashboard.`
          : `No ${what} selected. Open the dashboard to choose one, or add ?${what}=… to the link.`
        : `Choose a ${what} above to see its timeline.`}
    </p>
  );
}

function Body({ chart, source, pinned, kiosk }: BodyProps) {
  const { digest } = source;
  if (digest === null) return null;
  const One = OF_ONE[chart.type];
  const Many = OF_MANY[chart.type];
  if (Many) return <Many chart={chart} digest={digest} />;
  if (pinned === "") return <Unchosen grouped={source.grouped} kiosk={kiosk} />;
  return One ? <One chart={chart} digest={digest} pinned={pinned} /> : null;
}

function HeadReading({ digest, pinned, unit }: { digest: string; pinned: string; unit: string }) {
  const feed = useMemo(() => laneFeed(digest, pinned, true), [digest, pinned]);
  return <Reading feed={feed} unit={unit} digest={digest} />;
}

const PEN = "M3 13l.6-3L11 2.6l2.4 2.4L6 12.4 3 13M9.5 4.1l2.4 2.4";

/** Charts that show one instant and do not say which. */
const WITHOUT_TIME: ReadonlySet<ChartType> = new Set([
  "number",
  "gauge",
  "bars",
  "table",
  "grid",
  "histogram",
]);

/** Of which instant what a chart says is: the cursor's, else until when its node has seen, where that is not now. */
function Until({ digest, type }: { digest: string; type: ChartType }) {
  const behind = useLive(useCallback(() => behindOf(digest), [digest]));
  const cursor = useBoard(cursorOf);
  const seen = behind === null || (cursor !== null && cursor <= (behind.until ?? 0));
  if (cursor !== null && seen && WITHOUT_TIME.has(type))
    return (
      <span className="chart-until faint" data-testid="at-cursor">
        at {formatTime(cursor)}
      </span>
    );
  if (!behind?.late) return null;
  return (
    <span className="chart-until" title={describeUntil(behind)} data-testid="known-until">
      <span className="dot amber" aria-hidden="true" /> {formatUntilShort(behind)}
    </span>
  );
}

/** Charts of which a picture can be made: those that are drawn over time. */
const PICTURED: ReadonlySet<ChartType> = new Set(["lane", "line", "lines", "stack"]);

function savePicture(chart: Chart, pinned: string, section: HTMLElement | null): void {
  const title = titleOf(chart);
  const isNamed = pinned === "" || pinned === EVERYONE || title.includes(pinned);
  if (section) void exportPicture(section, isNamed ? title : `${title}, ${pinned}`);
}

/** What can be done with a chart that is looked at. */
const chartGroups = (chart: Chart, digest: string, pinned: string, frame: HTMLElement | null): MenuGroups => [
  [
    {
      id: "chart-csv",
      title: "Download CSV",
      hint: "The time range that is shown",
      icon: Download,
      act: () => void exportChart(chart, digest, pinned),
    },
    ...(PICTURED.has(chart.type)
      ? [
          {
            id: "chart-png",
            title: "Download PNG",
            hint: "As it is drawn now",
            icon: Image,
            act: () => savePicture(chart, pinned, frame),
          },
        ]
      : []),
    {
      id: "chart-plan",
      title: "Open the plan",
      icon: FolderOpen,
      act: () => window.location.assign(`/plans/${chart.plan}/`),
    },
  ],
];

const isFilled = (group: MenuGroups[number]): boolean => group.length > 0;

function EditButtons({ id, title, setUp }: { id: string; title: string; setUp: () => void }) {
  return (
    <>
      <button
        type="button"
        className="quiet small-button"
        aria-label={`Edit ${title}`}
        title="Edit"
        onClick={setUp}
      >
        <Picture path={PEN} />
        <span className="word">Edit</span>
      </button>
      <button
        type="button"
        className="quiet small-button"
        aria-label={`Remove ${title}`}
        onClick={() => change((document) => removeChart(document, id))}
      >
        ×
      </button>
    </>
  );
}

interface Props {
  chart: Chart;
  /** On a screen without controls. */
  kiosk: boolean;
  setUp: () => void;
}

/** A chart with its head: what it is called, what it says, and what keeps it from being live. */
export function ChartFrame({ chart: saved, kiosk, setUp }: Props) {
  const source = useBoard((state) => state.sources[sourceId(saved)]);
  const now = source?.now ?? null;
  // A name is a label: the chart goes on under the one that its node has now.
  const chart = useMemo(() => (now === null ? saved : { ...saved, node: now }), [saved, now]);
  const editing = useBoard((state) => state.editing);
  const chosen = useBoard((state) => chosenOf(state, source));
  const pinned = ofOneKey(chart.type) ? (chart.key ?? chosen) : "";
  const trouble = source ? findChartProblem(source) : null;
  const title = titleOf(chart);
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const told = chart.type === "lane" || chart.type === "line";
  const led = { chart, pinned, isGroup: source?.grouped ?? false };
  return (
    <section
      ref={setFrame}
      className={`chart chart-${chart.type} ${trouble && !trouble.calm ? "chart-troubled" : ""}`}
      data-testid={`chart-${chart.id}`}
      data-state={source?.state}
      aria-label={`${title}${pinned === "" ? "" : ` of ${pinned}`}`}
      aria-roledescription={editing ? "chart; arrows move it, Shift and arrows resize it" : undefined}
      tabIndex={editing ? 0 : undefined}
      onKeyDown={editing ? (event) => onKey(event, chart, setUp) : undefined}
    >
      <header className="chart-head">
        <h2 title={hasNode(saved.type) ? describeNode(saved.node, source) : undefined}>{title}</h2>
        {pinned !== "" && pinned !== EVERYONE && pinned !== title && (
          <span className="chart-key faint">{pinned}</span>
        )}
        <span className="spacer" />
        {told && source?.digest && pinned !== "" && (
          <HeadReading digest={source.digest} pinned={pinned} unit={chart.unit ?? ""} />
        )}
        {source?.digest && <Until digest={source.digest} type={chart.type} />}
        {!kiosk && !editing && <ChartLinkMark {...led} />}
        {!kiosk && !editing && source?.digest && (
          <MoreButton
            title={`Actions of ${title}`}
            groups={[...chartGroups(chart, source.digest, pinned, frame), linkItems(led)].filter(isFilled)}
          />
        )}
        {editing && <EditButtons id={chart.id} title={title} setUp={setUp} />}
      </header>
      {trouble && source && <TroubleSign trouble={trouble} chart={chart} source={source} />}
      <div className="chart-body">
        {hasNode(chart.type) ? (
          source && <Body chart={chart} source={source} pinned={pinned} kiosk={kiosk} />
        ) : chart.type === "text" ? (
          <TextChart text={chart.text ?? ""} />
        ) : (
          <AlertTile chart={chart} />
        )}
      </div>
    </section>
  );
}
