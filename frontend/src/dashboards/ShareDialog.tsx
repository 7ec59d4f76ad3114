import { useId, useState } from "react";
import { Dialog } from "../core/ui/Dialog";
import { windowOf } from "./clock";
import { searchOf } from "./link";
import { cursorOf, get, isUnsaved, rangeOf, selectionOf } from "./store";

function Check({ words, value, set }: { words: string; value: boolean; set: (value: boolean) => void }) {
  return (
    <label className="check">
      <input type="checkbox" checked={value} onChange={(event) => set(event.target.checked)} />
      {words}
    </label>
  );
}

function LinkField({ id, link }: { id: string; link: string }) {
  return (
    <div className="field">
      <label htmlFor={id}>Link for everyone who can log in</label>
      <input
        id={id}
        className="code"
        data-testid="share-link"
        readOnly
        value={link}
        onFocus={(event) => event.target.select()}
      />
    </div>
  );
}

/** A link that shows others what is seen here. */
export function ShareDialog({ close }: { close: () => void }) {
  const id = useId();
  const [state] = useState(get);
  const [{ start, end }] = useState(() => windowOf(get()));
  const [exact, setExact] = useState(true);
  const [still, setStill] = useState(
    state.view.fixed !== null || state.view.cursor !== null || state.pausedAt !== null,
  );
  const [kiosk, setKiosk] = useState(false);
  const [copied, setCopied] = useState(false);
  if (!state.board) return null;
  const search = searchOf({
    version: exact ? state.board.version : null,
    keys: selectionOf(state, false),
    groups: selectionOf(state, true),
    range: rangeOf(state),
    fixed: still ? { start: Math.round(start), end: Math.round(end) } : null,
    cursor: still ? cursorOf(state) : null,
  });
  const link = `${window.location.origin}/dashboards/${state.board.id}/${kiosk ? "kiosk/" : ""}${search}`;
  const copy = () => {
    const field = document.getElementById(`${id}-link`) as HTMLInputElement;
    field.select();
    navigator.clipboard.writeText(link).then(
      () => setCopied(true),
      () => setCopied(document.execCommand("copy")),
    );
  };
  return (
    <Dialog title="Share a link to this view" close={close}>
      <LinkField id={`${id}-link`} link={link} />
      <Check words={`Pin to version ${state.board.version}`} value={exact} set={setExact} />
      <Check words="Freeze the current time range" value={still} set={setStill} />
      <Check words="For a TV, without controls" value={kiosk} set={setKiosk} />
      {isUnsaved(state) && (
        <p className="bad">Your changes are not saved. The link shows the last saved version.</p>
      )}
      <div className="row">
        <button type="button" className="primary" onClick={copy}>
          {copied ? "Copied" : "Copy"}
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
