import "../core/sharing/people.css";
import { may, refusesMaking } from "../core/api/rights";
import { useId, useRef, useState, type FormEvent, type ReactNode } from "react";
import { api, describeError } from "../core/api/client";
import type { BoardSummary } from "../core/api/dashboards";
import type { Me } from "../core/api/types";
import { MoreButton, onMenu } from "../core/ui/ContextMenu";
import { rowGroups } from "../core/ui/linkItems";
import type { RowCheckboxes } from "../core/search/SelectedRows";
import { ListPage } from "../core/shell/ListPage";
import { Owner } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { useQuery } from "../core/search/useQuery";
import { DeleteDialog } from "../core/ui/DeleteDialog";
import { Failure } from "../core/ui/Failure";
import { parseBoard } from "./boardFile";
import { Dialog } from "../core/ui/Dialog";
import { DialogFoot } from "../core/ui/DialogFoot";
import { useTitle } from "../core/ui/useTitle";
import { Ago } from "../core/ui/Ago";

const MAX_FILE_BYTES = 2_000_000;

interface RowProps {
  board: BoardSummary;
  now: number;
  /** Undefined where it is not one's own. */
  remove: (() => void) | undefined;
  box: ReactNode;
}

function Row({ board, now, remove, box }: RowProps) {
  const menu = { title: `Actions of ${board.name}`, groups: rowGroups(`/dashboards/${board.id}/`, remove) };
  return (
    <tr onContextMenu={onMenu(menu)}>
      {box}
      <td>
        <a href={`/dashboards/${board.id}/`}>{board.name}</a>
      </td>
      <td className="nowrap">
        <Owner thing={board} />
      </td>
      <td className="number wide">{board.charts}</td>
      <td className="nowrap wide">
        <Ago at={board.updated_at} now={now} />
      </td>
      <td className="actions">
        <MoreButton {...menu} />
      </td>
    </tr>
  );
}

interface TableProps {
  boards: readonly BoardSummary[];
  remove: (board: BoardSummary) => void;
  boxes: RowCheckboxes<BoardSummary>;
}

function Table({ boards, remove, boxes }: TableProps) {
  const [now] = useState(() => Date.now());
  return (
    <table data-testid="dashboards">
      <thead>
        <tr>
          {boxes.head}
          <th>Dashboard</th>
          <th>Owner</th>
          <th className="number wide">Charts</th>
          <th className="wide">Updated</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {boards.map((board) => (
          <Row
            key={board.id}
            board={board}
            now={now}
            box={boxes.of(board)}
            remove={may("own", board) ? () => remove(board) : undefined}
          />
        ))}
      </tbody>
    </table>
  );
}

function Empty({ make, looks }: { make: () => void; looks: string | null }) {
  return (
    <section className="card empty">
      <h2>No dashboards yet</h2>
      <p>
        A dashboard shows live charts of nodes from any plan, also full screen on a TV. Create an empty one,
        or select a node in a plan and press “Pin to dashboard”.
      </p>
      {looks === null ? (
        <button type="button" className="primary" onClick={make}>
          Create a dashboard
        </button>
      ) : (
        <p className="faint">{looks}</p>
      )}
    </section>
  );
}

/** Asks for the name of a new dashboard: before that, nothing is made. */
function NewDialog({ close }: { close: () => void }) {
  const id = useId();
  const [name, setName] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [making, setMaking] = useState(false);
  const make = (event: FormEvent) => {
    event.preventDefault();
    if (making) return;
    setMaking(true);
    api.createDashboard({ name: name.trim() }).then(
      (board) => window.location.assign(`/dashboards/${board.id}/`),
      (error: unknown) => {
        setMaking(false);
        setFailure(describeError(error));
      },
    );
  };
  return (
    <Dialog title="New dashboard" close={close}>
      <form className="people-dialog" onSubmit={make}>
        <div className="field">
          <label htmlFor={id}>Name</label>
          <input
            id={id}
            data-testid="new-dashboard-name"
            maxLength={200}
            autoFocus
            placeholder="Untitled dashboard"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <DialogFoot failure={failure} busy={making} testid="new-dashboard-make" close={close}>
          Create
        </DialogFoot>
      </form>
    </Dialog>
  );
}

/** Makes a dashboard of a file that was exported. */
function ImportButton({ fail }: { fail: (words: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const read = async (file: File) => {
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error("The file is larger than 2 MB: no dashboard is.");
      const board = await api.createDashboard(parseBoard(await file.text()));
      window.location.assign(`/dashboards/${board.id}/`);
    } catch (error) {
      fail(describeError(error));
    }
  };
  return (
    <>
      <input
        ref={field}
        type="file"
        accept=".json,application/json"
        hidden
        data-testid="import-dashboard-file"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void read(file);
          target.value = "";
        }}
      />
      <button type="button" data-testid="import-dashboard" onClick={() => field.current?.click()}>
        Import…
      </button>
    </>
  );
}

export function DashboardsPage({ me }: { me: Me | null }) {
  useTitle("Dashboards");
  const query = useQuery();
  const listing = useListing<BoardSummary>(listOf("/api/dashboards/", { q: query.asked }));
  const [leaving, setLeaving] = useState<BoardSummary | null>(null);
  const [making, setMaking] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const make = () => setMaking(true);
  const looks = refusesMaking(me);
  const close = () => setLeaving(null);
  return (
    <ListPage
      me={me}
      kind="dashboard"
      query={query}
      listing={listing}
      buttons={
        looks === null && (
          <>
            <ImportButton fail={setFailure} />
            <button type="button" className="primary" data-testid="new-dashboard" onClick={make}>
              New dashboard
            </button>
          </>
        )
      }
      empty={<Empty make={make} looks={looks} />}
      idOf={(board) => String(board.id)}
      nameOf={(board) => board.name}
      table={(boards, boxes) => <Table boards={boards} boxes={boxes} remove={setLeaving} />}
    >
      {failure !== null && (
        <Dialog title="The dashboard was not imported" close={() => setFailure(null)}>
          <Failure words={failure} />
        </Dialog>
      )}
      {making && <NewDialog close={() => setMaking(false)} />}
      {leaving && (
        <DeleteDialog
          name={leaving.name}
          remove={() => api.deleteDashboard(leaving.id)}
          close={close}
          done={() => {
            close();
            listing.again();
          }}
        >
          All its versions are deleted, and links to it stop working. Nodes that it shows keep running.
        </DeleteDialog>
      )}
    </ListPage>
  );
}
