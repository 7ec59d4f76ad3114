import { useId, useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { Failure } from "../core/ui/Failure";
import { OptionFields } from "../core/ui/OptionFields";
import { toSentOptions, listKeptSecrets, type Filled } from "../core/ui/options";
import { useLoaded } from "../core/ui/useLoaded";
import { sinkApi, type Delivers, type Sink, type SinkKind } from "./calls";

interface Props {
  digest: string;
  /** The one that is changed; null: a new one. */
  sink: Sink | null;
  close: () => void;
  done: () => void;
}

interface FormProps extends Props {
  kinds: readonly SinkKind[];
}

const WHAT: readonly [Delivers, string][] = [
  ["revisions", "every revision, with when it became known"],
  ["final", "each span once, when it is final"],
];

/** What of the node is delivered. */
function What({ value, set }: { value: Delivers; set: (value: Delivers) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Deliver</label>
      <select
        id={id}
        data-testid="sink-delivers"
        value={value}
        onChange={(event) => set(event.target.value as Delivers)}
      >
        {WHAT.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

interface WhereProps {
  kinds: readonly SinkKind[];
  kind: SinkKind;
  fixed: boolean;
  set: (name: string) => void;
}

/** To which kind of target, and what that promises. */
function Where({ kinds, kind, fixed, set }: WhereProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>To</label>
      <select
        id={id}
        data-testid="sink-kind"
        value={kind.name}
        disabled={fixed}
        onChange={(event) => set(event.target.value)}
      >
        {kinds.map((one) => (
          <option key={one.name} value={one.name}>
            {one.title}
          </option>
        ))}
      </select>
      <small className="faint">Delivery: {kind.once}, whatever stops or fails.</small>
    </div>
  );
}

interface FootProps {
  busy: boolean;
  /** Whether there is one already, which is changed. */
  check: () => void;
  close: () => void;
}

function Foot({ busy, check, close }: FootProps) {
  return (
    <div className="row">
      <button type="submit" className="primary" data-testid="set-sink" disabled={busy}>
        Create sink
      </button>
      <button type="button" data-testid="check-sink" disabled={busy} onClick={check}>
        {busy ? "Connecting …" : "Test"}
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </div>
  );
}

function Form({ digest, sink, kinds, close, done }: FormProps) {
  const [name, setName] = useState(sink?.kind ?? kinds[0]?.name ?? "");
  const [delivers, setDelivers] = useState<Delivers>(sink?.delivers ?? "revisions");
  const [filled, setFilled] = useState<Filled>(() =>
    Object.fromEntries(Object.entries(sink?.options ?? {}).map(([key, value]) => [key, String(value)])),
  );
  const [fits, setFits] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) return <Failure words={`There is no kind of sink “${name}” any more.`} />;
  const forget = () => {
    setFits(false);
    setFailure(null);
  };
  const ask = (doing: Promise<void>) => {
    setBusy(true);
    forget();
    void doing.catch((error: unknown) => setFailure(describeError(error))).finally(() => setBusy(false));
  };
  const wanted = () => toSentOptions(kind.options, filled, listKeptSecrets(kind.options, filled, sink));
  const deliver = () =>
    sink === null
      ? sinkApi.add(digest, kind.name, delivers, wanted())
      : sinkApi.change(digest, sink.number, delivers, wanted());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(deliver().then(done));
  };
  const check = () => ask(sinkApi.check(digest, kind.name, wanted(), sink?.number).then(() => setFits(true)));
  return (
    <form className="declare" data-testid="sink-form" onSubmit={submit} onChange={forget}>
      <Where kinds={kinds} kind={kind} fixed={sink !== null} set={setName} />
      <What value={delivers} set={setDelivers} />
      <OptionFields
        key={kind.name}
        options={kind.options}
        of="sink"
        filled={filled}
        before={sink}
        change={setFilled}
      />
      {sink !== null && (
        <p className="faint">A new target, or other content, is delivered from the beginning.</p>
      )}
      {fits && (
        <p role="status" data-testid="sink-fits">
          Connection works.
        </p>
      )}
      <Failure words={failure} testid="sink-failure" />
      <Foot busy={busy} check={check} close={close} />
    </form>
  );
}

/** A form drawn from what the kinds of sinks ask for. */
export function SinkForm(props: Props) {
  const { value: kinds, failure } = useLoaded(sinkApi.kinds);
  return (
    <>
      <Failure words={failure} />
      {kinds && <Form {...props} kinds={kinds} />}
    </>
  );
}
