import { useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { useStudio } from "../plans/editor/store";
import { Dialog } from "../core/ui/Dialog";
import { record, listStreamsRead, upload } from "./actions";
import { refusesCount } from "./count";
import { set } from "./store";
import { DialogFoot } from "../core/ui/DialogFoot";
import type { Upload } from "../core/api/samples";
import { UploadField } from "./UploadFields";

type RecordMode = "last" | "next" | "upload";

const WAYS: readonly [RecordMode, string][] = [
  ["last", "The last events"],
  ["next", "The next events"],
  ["upload", "A file"],
];

const close = (): void => set({ dialog: null });

interface StreamsProps {
  names: readonly string[];
  chosen: readonly string[];
  choose: (chosen: string[]) => void;
}

function Streams({ names, chosen, choose }: StreamsProps) {
  return (
    <fieldset className="choices">
      <legend>Of the streams</legend>
      {names.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) =>
              choose(event.target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />{" "}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Why the sample cannot be kept yet, or null. */
function refusalOf(way: RecordMode, files: number, streams: number, count: string): string | null {
  if (way === "upload") return files > 0 ? null : "Choose a file.";
  if (streams === 0) return "Choose a stream.";
  return refusesCount(count);
}

function useWish() {
  const streams = useStudio((state) => state.streams);
  const read = listStreamsRead().filter((name) => streams.has(name));
  const names = read.length > 0 ? read : [...streams.keys()];
  const [way, setWay] = useState<RecordMode>("last");
  const [name, setName] = useState("");
  const [chosen, choose] = useState<string[]>(read);
  const [count, setCount] = useState("500");
  const [keys, setKeys] = useState("");
  const [uploads, setUploads] = useState<Readonly<Record<string, Upload>>>({});
  const title =
    name.trim() ||
    (way === "upload"
      ? (Object.values(uploads)[0]?.file.name ?? "A file")
      : `${way} ${count} of ${chosen.join(", ")}`);
  const send = () => {
    if (way === "upload") return upload(title, uploads);
    const listed = keys
      .split(",")
      .map((key) => key.trim())
      .filter((key) => key !== "");
    return record({
      name: title,
      streams: chosen,
      [way]: Number(count),
      ...(listed.length > 0 ? { keys: listed } : {}),
    });
  };
  const chooseFile = (stream: string, chosen: Upload | null) =>
    setUploads((held) => ({
      ...Object.fromEntries(Object.entries(held).filter(([one]) => one !== stream)),
      ...(chosen ? { [stream]: chosen } : {}),
    }));
  const refusal = refusalOf(way, Object.keys(uploads).length, chosen.length, count);
  return {
    names,
    way,
    setWay,
    name,
    setName,
    title,
    chosen,
    choose,
    count,
    setCount,
    keys,
    setKeys,
    chooseFile,
    send,
    refusal,
  };
}

type Wish = ReturnType<typeof useWish>;

function Ways({ way, setWay }: Wish) {
  return (
    <div className="segments" role="group" aria-label="Source">
      {WAYS.map(([one, words]) => (
        <button key={one} type="button" aria-pressed={way === one} onClick={() => setWay(one)}>
          {words}
        </button>
      ))}
    </div>
  );
}

function Recorded(wish: Wish) {
  const { names, chosen, choose, count, setCount, keys, setKeys, way } = wish;
  const wrong = refusesCount(count);
  return (
    <>
      <Streams names={names} chosen={chosen} choose={choose} />
      <div className="field">
        <label htmlFor="sample-count">Events per stream</label>
        <input
          id="sample-count"
          inputMode="numeric"
          value={count}
          aria-invalid={wrong !== null || undefined}
          onChange={(event) => setCount(event.target.value)}
        />
        {wrong && <small className="bad">{wrong}</small>}
      </div>
      <div className="field">
        <label htmlFor="sample-keys">Keys</label>
        <input
          id="sample-keys"
          placeholder="all keys"
          value={keys}
          onChange={(event) => setKeys(event.target.value)}
        />
        <small className="faint">Comma-separated. Fewer keys give a longer history of each.</small>
      </div>
      {way === "next" && (
        <small className="faint">Records for at most an hour, also when this page is closed.</small>
      )}
    </>
  );
}

/** Keep events: the last or the next ones of streams, or those of a file. */
export function RecordDialog() {
  const wish = useWish();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    wish.send().catch((error: unknown) => {
      setFailure(describeError(error));
      setBusy(false);
    });
  };
  return (
    <Dialog title="New sample" close={close}>
      <form className="sample-form" onSubmit={submit}>
        <Ways {...wish} />
        {wish.names.length === 0 && <p>No streams yet. Declare a stream first.</p>}
        {wish.way === "upload" ? (
          wish.names.map((name) => <UploadField key={name} stream={name} choose={wish.chooseFile} />)
        ) : (
          <Recorded {...wish} />
        )}
        {wish.way === "upload" && (
          <small className="faint">
            JSON, CSV, Parquet, Arrow or Avro, also compressed; at most 50,000 events and 8 MiB.
          </small>
        )}
        <div className="field">
          <label htmlFor="sample-name">Name</label>
          <input
            id="sample-name"
            maxLength={200}
            placeholder={wish.title}
            value={wish.name}
            onChange={(event) => wish.setName(event.target.value)}
          />
        </div>
        <DialogFoot failure={failure} testid="keep-sample" refusal={wish.refusal} busy={busy} close={close}>
          {busy ? "Keeping …" : wish.way === "next" ? "Record" : "Keep"}
        </DialogFoot>
      </form>
    </Dialog>
  );
}
