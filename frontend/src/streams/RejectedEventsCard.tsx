import { useCallback, useState } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type RejectedKind, type RejectedEvent } from "../core/api/streams";
import { Dialog } from "../core/ui/Dialog";
import { formatMoment } from "../core/time/format";
import { LoadingText } from "../core/ui/Loading";
import { usePolled } from "../core/ui/usePolled";
import { Failure } from "../core/ui/Failure";
import { describeRejected } from "./rejected";

const KINDS: Readonly<Record<RejectedKind, string>> = { refused: "Rejected", too_late: "Too late" };
const EMPTY: Readonly<Record<RejectedKind, string>> = {
  refused: "No rejected events. Lines that are not valid events appear here with the reason.",
  too_late: "No events arrived too late. Events older than the retention at arrival appear here.",
};
const SHOWN = 50;

interface EditProps {
  name: string;
  line: RejectedEvent;
  close: () => void;
  done: (words: string) => void;
}

/** A refused line, to be mended and tried again. */
function EditDialog({ name, line, close, done }: EditProps) {
  const [text, setText] = useState(line.text);
  const [refusal, setRefusal] = useState(line.message);
  const again = () =>
    streamApi.again(name, [{ id: line.id, text }]).then(
      (answer) => {
        const [still] = answer.refused;
        if (still) setRefusal(still.message);
        else done("The event was accepted.");
      },
      (error: unknown) => setRefusal(describeError(error)),
    );
  return (
    <Dialog title="Fix the line" close={close}>
      <p className="bad" role="alert">
        {refusal}
      </p>
      <textarea
        className="code"
        aria-label="The line"
        rows={8}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <button type="button" className="primary" onClick={() => void again()}>
          Try again
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Where it lay: in a source, or on which line of its request. */
function placeOf({ place, line }: RejectedEvent): string {
  return place || (line === null ? "–" : `line ${line.toLocaleString("en")}`);
}

function Line({ line, mend }: { line: RejectedEvent; mend: (() => void) | null }) {
  return (
    <tr>
      <td className="nowrap">{formatMoment(line.at)}</td>
      <td>{line.sender ?? (line.place === "" ? "–" : "the source")}</td>
      {line.kind === "refused" && <td>{placeOf(line)}</td>}
      <td className="told">{line.message}</td>
      <td className="code cut" title={line.text}>
        {line.text}
        {!line.whole && " …"}
      </td>
      {mend && (
        <td className="actions">
          <button type="button" className="quiet" onClick={mend}>
            Fix
          </button>
        </td>
      )}
    </tr>
  );
}

function save(name: string, kind: RejectedKind, lines: readonly RejectedEvent[]): void {
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${name}-${kind}.jsonl`;
  link.click();
  URL.revokeObjectURL(address);
}

interface TableProps {
  kind: RejectedKind;
  lines: readonly RejectedEvent[];
  /** Null: this person may not push events. */
  mend: ((line: RejectedEvent) => void) | null;
}

function Lines({ kind, lines, mend }: TableProps) {
  const refused = kind === "refused";
  return (
    <>
      <p className="faint">
        {refused
          ? describeRejected(lines, mend !== null)
          : "These are on disk, but changed no result. A longer retention counts such events from then on."}{" "}
        The newest 1,000 are kept{lines.length > SHOWN && `; ${SHOWN} of ${lines.length} are shown`}.
      </p>
      <div className="scroll tall" role="region" aria-label="Rejected events" tabIndex={0}>
        <table className="events">
          <thead>
            <tr>
              <th>When</th>
              <th>User</th>
              {refused && <th>Where</th>}
              <th>Why</th>
              <th>Raw event</th>
              {refused && mend && <th className="actions" aria-label="Actions" />}
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, SHOWN).map((line) => (
              <Line key={line.id} line={line} mend={refused && mend ? () => mend(line) : null} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface ActionsProps {
  name: string;
  kind: RejectedKind;
  lines: readonly RejectedEvent[];
  mine: boolean;
  pushes: boolean;
  told: (words: Promise<string>) => void;
}

function Actions({ name, kind, lines, mine, pushes, told }: ActionsProps) {
  const ids = lines.map(({ id }) => ({ id }));
  const again = async () => {
    const { taken, refused } = await streamApi.again(name, ids);
    return `${taken} accepted, ${refused.length} rejected again.`;
  };
  const clear = async () => `${(await streamApi.clearRejected(name, kind)).cleared} cleared.`;
  return (
    <div className="row">
      {kind === "refused" && pushes && (
        <button type="button" onClick={() => told(again())}>
          Retry all
        </button>
      )}
      <button type="button" onClick={() => save(name, kind, lines)}>
        Download
      </button>
      {mine && (
        <button type="button" onClick={() => told(clear())}>
          Clear
        </button>
      )}
    </div>
  );
}

function Kinds({ kind, choose }: { kind: RejectedKind; choose: (kind: RejectedKind) => void }) {
  return (
    <div className="row" role="group" aria-label="Which">
      {(Object.keys(KINDS) as RejectedKind[]).map((one) => (
        <button key={one} type="button" aria-pressed={kind === one} onClick={() => choose(one)}>
          {KINDS[one]}
        </button>
      ))}
    </div>
  );
}

interface Props {
  name: string;
  /** Whether this person may clear it. */
  mine: boolean;
  /** Whether this person may push events, and so try again what was refused. */
  pushes: boolean;
  changed: () => void;
}

/** What did not become events, or came too late to count: the newest of each. */
export function RejectedEventsCard({ name, mine, pushes, changed }: Props) {
  const [kind, setKind] = useState<RejectedKind>("refused");
  const [mending, setMending] = useState<RejectedEvent | null>(null);
  const [said, setSaid] = useState("");
  const fetch = useCallback(() => streamApi.rejected(name, kind), [name, kind]);
  const { value, failure, again } = usePolled(fetch, 2000);
  const lines = value?.filter((line) => line.kind === kind) ?? null;
  const done = (words: string) => {
    setMending(null);
    setSaid(words);
    again();
    changed();
  };
  const told = (words: Promise<string>) =>
    void words.then(done, (error: unknown) => setSaid(describeError(error)));
  return (
    <section className="card" data-testid="rejected-events">
      <div className="row spread">
        <h2>Rejected events</h2>
        <Kinds kind={kind} choose={setKind} />
      </div>
      <Failure words={failure} />
      {lines === null && !failure && <LoadingText what="the rejected events" />}
      {lines?.length === 0 && <p className="faint">{EMPTY[kind]}</p>}
      {lines !== null && lines.length > 0 && (
        <>
          <Lines kind={kind} lines={lines} mend={pushes ? setMending : null} />
          <Actions name={name} kind={kind} lines={lines} mine={mine} pushes={pushes} told={told} />
        </>
      )}
      <span className="faint" role="status">
        {said}
      </span>
      {mending && <EditDialog name={name} line={mending} close={() => setMending(null)} done={done} />}
    </section>
  );
}
