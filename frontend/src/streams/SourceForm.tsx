import { useId, useState, type FormEvent, type ReactNode } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type Source, type SourceKind, type TriedMessage } from "../core/api/streams";
import { Failure } from "../core/ui/Failure";
import { OptionFields } from "../core/ui/OptionFields";
import { toSentOptions, listKeptSecrets, type Filled } from "../core/ui/options";
import { useLoaded } from "../core/ui/useLoaded";
import { mappingOf, rowsOfMapping, type RuleRow } from "./mapping";
import { ComparedEvents, MappingTable } from "./MappingTable";

interface TriedProps {
  messages: readonly TriedMessage[];
  /** Whether fields are mapped, so that before and after differ. */
  mapped: boolean;
}

function Tried({ messages, mapped }: TriedProps) {
  const wrong = messages.filter((message) => message.problems.length > 0);
  return (
    <div data-testid="source-tried" role="status">
      <p>
        Connection works.{" "}
        {messages.length === 0
          ? "No messages yet."
          : `${wrong.length || "None"} of ${messages.length} messages would be rejected.`}
      </p>
      <ul>
        {wrong.slice(0, 5).map((one) => (
          <li key={one.place} className="bad">
            {one.place}: {one.problems[0]?.message}
          </li>
        ))}
      </ul>
      {mapped && <ComparedEvents events={messages.flatMap(({ events }) => events)} />}
    </div>
  );
}

interface Props {
  name: string;
  source: Source | null;
  close: () => void;
  done: () => void;
}

interface FormProps extends Props {
  kind: SourceKind;
  /** The field in which the kind is chosen. */
  children: ReactNode;
}

function Form({ name, source, kind, close, done, children }: FormProps) {
  const [filled, setFilled] = useState<Filled>(() =>
    Object.fromEntries(
      Object.entries(source?.options ?? {}).map(([option, value]) => [option, String(value)]),
    ),
  );
  const [rules, setRules] = useState<readonly RuleRow[]>(() => rowsOfMapping(source?.mapping ?? []));
  const [tried, setTried] = useState<TriedMessage[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const forget = () => {
    setTried(null);
    setFailure(null);
  };
  const changeRules = (rows: readonly RuleRow[]) => {
    setRules(rows);
    forget();
  };
  const ask = (doing: Promise<void>) => {
    setBusy(true);
    forget();
    void doing.catch((error: unknown) => setFailure(describeError(error))).finally(() => setBusy(false));
  };
  const wanted = () => ({
    kind: kind.name,
    options: toSentOptions(kind.options, filled, listKeptSecrets(kind.options, filled, source)),
    mapping: mappingOf(rules),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(streamApi.feed(name, wanted()).then(done));
  };
  return (
    <form className="declare source-form" onSubmit={submit} onChange={forget}>
      {children}
      <OptionFields options={kind.options} of="source" filled={filled} before={source} change={setFilled} />
      <MappingTable rows={rules} change={changeRules} />
      {tried && <Tried messages={tried} mapped={rules.length > 0} />}
      <Failure words={failure} testid="source-failure" />
      <div className="row">
        <button type="submit" className="primary" data-testid="set-source" disabled={busy}>
          Connect
        </button>
        <button
          type="button"
          data-testid="try-source"
          disabled={busy}
          onClick={() => ask(streamApi.tryToFeed(name, wanted()).then(setTried))}
        >
          {busy ? "Connecting …" : "Test connection"}
        </button>
        <button type="button" onClick={close}>
          {source === null ? "Cancel" : "Cancel"}
        </button>
      </div>
    </form>
  );
}

/** A form drawn from what the kind of source asks for. */
export function SourceForm(props: Props) {
  const { value: kinds, failure } = useLoaded(streamApi.kindsOfSources);
  const [chosen, setChosen] = useState(props.source?.kind ?? null);
  const id = useId();
  const kind = kinds?.find((one) => one.name === chosen) ?? kinds?.[0];
  // What one kind asks for says nothing to another, though it be called the same.
  const source = kind?.name === props.source?.kind ? props.source : null;
  return (
    <>
      <Failure words={failure} />
      {kind && (
        <Form key={kind.name} {...props} source={source} kind={kind}>
          <div className="field">
            <label htmlFor={id}>Kind</label>
            <select
              id={id}
              data-testid="source-kind"
              value={kind.name}
              onChange={(event) => setChosen(event.target.value)}
            >
              {kinds?.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.title}
                </option>
              ))}
            </select>
          </div>
        </Form>
      )}
    </>
  );
}
