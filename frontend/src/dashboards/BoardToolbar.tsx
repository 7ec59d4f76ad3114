import { lazy, Suspense, useState } from "react";
import { KeyChooser } from "../core/search/KeyChooser";
import { Access } from "./Access";
import { addChart, changeChart, ofOneKey } from "./document";
import type { Chart } from "../core/api/dashboards";
import { ConnectionState } from "./ConnectionState";
import { refusesMaking } from "../core/api/rights";
import { searchOf } from "./link";
import { isRepeated } from "./repeat";
import { SelectionDialog } from "./SelectionDialog";
import { copy, save } from "./server";
import { ShareDialog } from "./ShareDialog";
import {
  change,
  choose,
  documentOf,
  groupOf,
  isUnsaved,
  keyOf,
  redo,
  refusesChange,
  rename,
  selectionOf,
  set,
  sourceId,
  undo,
  useBoard,
  type BoardState,
} from "./store";
import { TimeControls } from "./TimeControls";
import { VersionsDialog } from "./VersionsDialog";

/** The charts that show the chosen key, or group. */
function choosing(state: BoardState, grouped: boolean): Chart[] {
  return documentOf(state).charts.filter(
    (chart) =>
      ofOneKey(chart.type) &&
      chart.key === null &&
      (state.sources[sourceId(chart)]?.grouped ?? false) === grouped,
  );
}

/** The node whose keys are offered: that of the first chart which shows the chosen one. */
function offering(state: BoardState, grouped: boolean): string | null {
  const digests = choosing(state, grouped).map((chart) => state.sources[sourceId(chart)]?.digest ?? null);
  return digests.find((digest) => digest !== null) ?? null;
}

const chooseKey = (key: string): void => choose(false, key);
const chooseGroup = (group: string): void => choose(true, group);

function Chooser({ grouped }: { grouped: boolean }) {
  const isWanted = useBoard((state) => choosing(state, grouped).length > 0);
  const digest = useBoard((state) => offering(state, grouped));
  const value = useBoard(grouped ? groupOf : keyOf);
  const more = useBoard((state) => Math.max(0, selectionOf(state, grouped).length - 1));
  const repeats = useBoard((state) => choosing(state, grouped).some(isRepeated));
  const [isOpen, setOpen] = useState(false);
  if (!isWanted) return null;
  const [label, testId] = grouped ? ["Group", "board-group"] : ["Key", "board-key"];
  return (
    <>
      <KeyChooser
        label={label}
        testId={testId}
        digest={digest}
        value={value}
        choose={grouped ? chooseGroup : chooseKey}
      />
      {(repeats || more > 0) && (
        <button
          type="button"
          className="quiet nowrap"
          data-testid={`${testId}-more`}
          title={grouped ? "Select groups" : "Select keys"}
          onClick={() => setOpen(true)}
        >
          {more > 0 ? `+ ${more} more` : "Select several"}
        </button>
      )}
      {isOpen && <SelectionDialog grouped={grouped} digest={digest} close={() => setOpen(false)} />}
    </>
  );
}

function EditButtons({ add }: { add: () => void }) {
  const unsaved = useBoard(isUnsaved);
  const busy = useBoard((state) => state.busy);
  const { past, future } = useBoard((state) => state.history);
  return (
    <>
      <button type="button" data-testid="add-chart" onClick={add}>
        Add a chart
      </button>
      <button type="button" className="quiet" disabled={past.length === 0} onClick={undo} title="Ctrl+Z">
        Undo
      </button>
      <button
        type="button"
        className="quiet"
        disabled={future.length === 0}
        onClick={redo}
        title="Ctrl+Shift+Z"
      >
        Redo
      </button>
      <button
        type="button"
        className="primary"
        data-testid="save-board"
        disabled={!unsaved || busy}
        onClick={() => void save()}
      >
        Save
      </button>
      <button type="button" data-testid="done" onClick={() => set({ editing: false })}>
        Done
      </button>
    </>
  );
}

// What is opened by few is loaded when it is.
const ChartForm = lazy(() => import("./ChartForm").then((module) => ({ default: module.ChartForm })));

function LookButtons({ share, versions }: { share: () => void; versions: () => void }) {
  const refusal = useBoard(refusesChange);
  const looks = useBoard((state) => refusesMaking(state.me) !== null);
  const board = useBoard((state) => state.board);
  const search = useBoard((state) => searchOf(state.view));
  return (
    <>
      <button type="button" onClick={versions}>
        Versions
      </button>
      <button type="button" data-testid="share" onClick={share}>
        Link
      </button>
      <Access />
      {board && (
        <a className="button" href={`/dashboards/${board.id}/kiosk/${search}`} data-testid="kiosk">
          Full screen (TV)
        </a>
      )}
      {refusal === null ? (
        <button type="button" data-testid="edit" onClick={() => set({ editing: true })}>
          Edit
        </button>
      ) : (
        <button
          type="button"
          data-testid="copy-board"
          title={refusal}
          disabled={looks}
          onClick={() => void copy()}
        >
          Make a copy
        </button>
      )}
    </>
  );
}

function Name() {
  const name = useBoard((state) => state.name);
  const editing = useBoard((state) => state.editing);
  const owner = useBoard((state) => state.board?.owner);
  const unsaved = useBoard(isUnsaved);
  return (
    <div className="board-name">
      {editing ? (
        <input
          aria-label="Name of the dashboard"
          data-testid="board-name"
          maxLength={200}
          value={name}
          onChange={(event) => rename(event.target.value)}
        />
      ) : (
        <h1>{name}</h1>
      )}
      <span className="faint nowrap">{unsaved ? "unsaved" : owner}</span>
    </div>
  );
}

interface Props {
  setUp: Chart | null;
  adding: boolean;
  add: (adding: boolean) => void;
  closeSetUp: () => void;
}

export function BoardToolbar({ setUp, adding, add, closeSetUp }: Props) {
  const editing = useBoard((state) => state.editing);
  const [open, setOpen] = useState<"share" | "versions" | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="board-toolbar">
      <Name />
      <span className="spacer" />
      <Chooser grouped={false} />
      <Chooser grouped />
      <TimeControls />
      <ConnectionState />
      <span className="board-buttons">
        {editing ? (
          <EditButtons add={() => add(true)} />
        ) : (
          <LookButtons share={() => setOpen("share")} versions={() => setOpen("versions")} />
        )}
      </span>
      {open === "share" && <ShareDialog close={close} />}
      {open === "versions" && <VersionsDialog close={close} />}
      <Suspense fallback={null}>
        {adding && (
          <ChartForm
            title="Add a chart"
            action="Add"
            chart={null}
            close={() => add(false)}
            done={(chart) => {
              set({ editing: true });
              change((document) => addChart(document, chart));
              add(false);
            }}
          />
        )}
        {setUp && (
          <ChartForm
            title="Edit the chart"
            action="Apply"
            chart={setUp}
            close={closeSetUp}
            done={(chart) => {
              change((document) => changeChart(document, setUp.id, chart));
              closeSetUp();
            }}
          />
        )}
      </Suspense>
    </div>
  );
}
