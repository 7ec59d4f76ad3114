import "./streams.css";
import { useState, type FormEvent, type ReactNode } from "react";
import { describeError } from "../core/api/client";
import { streamApi, type GivenRule, type Guessed } from "../core/api/streams";
import { refusesMaking } from "../core/api/rights";
import type { Me } from "../core/api/types";
import { Header } from "../core/shell/Header";
import { DeclarationFields, EncodingField, type Change } from "./DeclarationFields";
import { declarationOf, EMPTY, saidOf, withGuess, type Draft, type StatedPart } from "./draft";
import { mappingOf, type RuleRow } from "./mapping";
import { ComparedEvents, MappingTable } from "./MappingTable";
import { Preview } from "./Preview";
import { suggestName, type Sample } from "./sample";
import { SampleBox } from "./SampleBox";
import { useGuess } from "./useGuess";
import { Failure } from "../core/ui/Failure";

interface PushProps {
  guessed: Guessed;
  push: boolean;
  setPush: (push: boolean) => void;
}

function PushChoice({ guessed, push, setPush }: PushProps) {
  const right = guessed.rows - guessed.refused;
  const left = guessed.refused > 0 ? `, without events that would be rejected` : "";
  return (
    <label className="check">
      <input
        type="checkbox"
        data-testid="push-sample"
        checked={push}
        disabled={right <= 0}
        onChange={(event) => setPush(event.target.checked)}
      />
      Push the sample as its first events{left}
    </label>
  );
}

interface WizardProps {
  sample: Sample | null;
  back: () => void;
}

interface Submission {
  busy: boolean;
  refusal: string | null;
  submit: (draft: Draft, guessed: Guessed | null) => void;
}

/** Declares the stream, pushes the sample, and goes to the stream's page. */
function useDeclaring(sample: Sample | null, mapping: readonly GivenRule[], push: boolean): Submission {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [declared, setDeclared] = useState("");
  // Whoever presses the button again pushes the sample once.
  const [key] = useState(() => `${Date.now()} ${Math.random()}`);
  const declare = async (draft: Draft, guessed: Guessed | null) => {
    const declaration = declarationOf(draft);
    const { name } = declaration;
    if (declared === "") await streamApi.declare(declaration);
    setDeclared(name);
    if (sample && push && guessed && guessed.rows > guessed.refused)
      await streamApi
        .push(declared || name, sample.body, mapping, guessed.refused > 0, key)
        .catch((error: unknown) => {
          throw new Error(`The stream was declared, but the sample was not pushed. ${describeError(error)}`);
        });
    window.location.assign(`/streams/${encodeURIComponent(declared || name)}/`);
  };
  const submit = (draft: Draft, guessed: Guessed | null) => {
    setBusy(true);
    setRefusal(null);
    declare(draft, guessed).catch((error: unknown) => {
      setRefusal(describeError(error));
      setBusy(false);
    });
  };
  return { busy, refusal, submit };
}

interface LookingProps {
  failure: string | null;
  back: () => void;
  /** Asks for the encoding, where that may help. */
  children?: ReactNode;
}

function Looking({ failure, back, children }: LookingProps) {
  return (
    <section className="card">
      <p
        role={failure ? "alert" : "status"}
        className={failure ? "bad" : "faint"}
        data-testid="sample-failure"
      >
        {failure ?? "Analyzing the sample…"}
      </p>
      {children}
      <div className="row">
        <button type="button" onClick={back}>
          Another sample
        </button>
      </div>
    </section>
  );
}

function Wizard({ sample, back }: WizardProps) {
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, name: sample ? suggestName(sample.file) : "" });
  const [said, setSaid] = useState<ReadonlySet<StatedPart>>(new Set());
  const [push, setPush] = useState(true);
  const [rules, setRules] = useState<readonly RuleRow[]>([]);
  const mapping = mappingOf(rules);
  const { busy, refusal, submit } = useDeclaring(sample, mapping, push);
  const answered = (guessed: Guessed) => setDraft((before) => withGuess(before, guessed, said));
  const { guessed, failure, lacksEncoding } = useGuess(sample, saidOf(draft, said), mapping, answered);
  const change: Change = (what, value) => {
    setDraft({ ...draft, [what]: value });
    if (what !== "name") setSaid(new Set<StatedPart>([...said, what as StatedPart]));
  };
  if (sample && guessed === null)
    return (
      <Looking failure={failure} back={back}>
        {lacksEncoding && (
          <div className="grid declaring">
            <EncodingField value={draft.encoding} change={(value) => change("encoding", value)} />
          </div>
        )}
      </Looking>
    );
  const names = { key: draft.key, time: draft.time, id: draft.id === "" ? null : draft.id };
  const wrong = refusal ?? failure;
  const send = (event: FormEvent) => {
    event.preventDefault();
    submit(draft, guessed);
  };
  return (
    <form className="declare" onSubmit={send}>
      {guessed && <Preview guessed={guessed} names={names} />}
      {guessed && (
        <section className="card" aria-label="Field mapping of the sample">
          <MappingTable rows={rules} change={setRules} />
          <ComparedEvents events={guessed.compared} />
          {rules.length > 0 && (
            <p className="faint">The rules hold for this sample. A source of the stream has its own rules.</p>
          )}
        </section>
      )}
      <section className="card">
        <h2>{guessed ? "Detected settings" : "Stream settings"}</h2>
        <DeclarationFields draft={draft} change={change} guessed={guessed} />
      </section>
      <Failure words={wrong} testid="declare-refusal" />
      <div className="row foot">
        {guessed && <PushChoice guessed={guessed} push={push} setPush={setPush} />}
        <span className="spacer" />
        <button type="button" onClick={back}>
          {sample ? "Another sample" : "Use a sample"}
        </button>
        <button type="submit" className="primary" data-testid="declare" disabled={busy}>
          {busy ? "Declaring …" : "Declare"}
        </button>
      </div>
    </form>
  );
}

type Stage = "asking" | "by hand" | Sample;

export function DeclarePage({ me }: { me: Me | null }) {
  const [stage, setStage] = useState<Stage>("asking");
  const looks = refusesMaking(me);
  const back = () => setStage("asking");
  return (
    <>
      <Header me={me} here="streams" />
      <main className="page">
        <p className="crumbs">
          <a href="/streams/">Streams</a>
        </p>
        <h1>Declare a stream</h1>
        {looks !== null && <p className="card">{looks}</p>}
        {looks === null && stage === "asking" && (
          <SampleBox take={setStage} byHand={() => setStage("by hand")} />
        )}
        {stage === "by hand" && <Wizard sample={null} back={back} />}
        {typeof stage === "object" && <Wizard sample={stage} back={back} />}
      </main>
    </>
  );
}
