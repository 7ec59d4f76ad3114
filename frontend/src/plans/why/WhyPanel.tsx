import { useCallback, useEffect, useRef } from "react";
import type { Why, WhyEvents, WhyLink } from "../../core/api/types";
import { showNode } from "../editor/edits";
import { useOverlay } from "../editor/overlay";
import { documentOf, useStudio } from "../editor/store";
import { useBeside } from "../editor/useBeside";
import { revealAll } from "../editor/view";
import { describeContext, fieldsOf, partsOf, spellSentence, spellValue } from "./chain";
import { formatExact, formatInstant, formatOffset } from "../../core/time/format";
import { useDark } from "../../core/ui/theme";
import { colourNamed, DARK, LIGHT } from "../../timechart/colours";
import { chosenColour } from "../../timechart/display";
import { useDisplay } from "../../timechart/displays";
import { ask, close, useWhy, type WhyRequest } from "./store";

function Sentence({ text }: { text: string }) {
  return partsOf(text).map((part, i) =>
    part.code ? (
      <span key={i} className="code">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}

/** The raw events of an instant. */
function Events({ at, near }: { at: WhyEvents; near: number }) {
  if (at.events.length === 0)
    return (
      <li className="faint">
        {formatExact(at.t, near)} {at.found ? "no event is stored" : "the event is not in the log any more"}
      </li>
    );
  return (
    <>
      {at.events.map((event, i) => (
        <li key={i}>
          <span className="faint">{formatExact(at.t, near)}</span>{" "}
          <span className="code">{fieldsOf(event)}</span>
        </li>
      ))}
      {at.rule !== "" && <li className="faint">{at.rule}</li>}
    </>
  );
}

function Name({ name }: { name: string }) {
  const drawn = useStudio((state) => name in documentOf(state).nodes);
  if (!drawn) return <b>{name}</b>;
  return (
    <button
      type="button"
      className="quiet why-name"
      title="Show on the canvas"
      onClick={() => showNode(name)}
    >
      {name}
    </button>
  );
}

/** With the colour and the label that were chosen for the node, if any were. */
function Value({ link: { node, value } }: { link: WhyLink }) {
  const display = useDisplay(node);
  const theme = useDark() ? DARK : LIGHT;
  const colour = chosenColour(value, display);
  return (
    <span className="why-value">
      {colour !== null && (
        <span className="swatch" style={{ background: colourNamed(colour, theme) }} aria-hidden="true" />
      )}{" "}
      {spellValue(value, display)}
    </span>
  );
}

function Link({ link, root }: { link: WhyLink; root: WhyLink }) {
  const other = describeContext(link, root);
  return (
    <li data-testid={`why-${link.node}`}>
      <p className="why-head">
        <Name name={link.node} />
        {other && <span className="faint">{other}</span>}
        <Value link={link} />
      </p>
      <p>
        <Sentence text={spellSentence(link.sentence_parts, link.at)} />
      </p>
      <p className="faint">
        <Sentence text={spellSentence(link.ends_parts, link.at)} />
      </p>
      {link.events.length > 0 && (
        <ul className="why-events">
          {link.events.map((at) => (
            <Events key={`${at.stream} ${at.t}`} at={at} near={root.at} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Chain({ answer }: { answer: Why }) {
  const [root] = answer.chain;
  if (!root) return null;
  return (
    <>
      <ol className="why-chain">
        {answer.chain.map((link) => (
          <Link key={`${link.node} ${link.key} ${link.at}`} link={link} root={root} />
        ))}
      </ol>
      {!answer.complete && <p className="faint">More reasons than can be shown.</p>}
      {!root.final && <p className="faint why-foot">Provisional: a late event could still change this.</p>}
    </>
  );
}

/** Escape closes, the focus comes to the panel and goes back to where it was. */
function useFocusWhileOpen(question: WhyRequest) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => panel.current?.focus(), [question]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) close();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return panel;
}

const REST_MS = 300;

/** Ask anew when another moment is chosen, as of which things are shown, once it rests. */
function useMoment(question: WhyRequest, knownAt: number | null): void {
  useEffect(() => {
    if (knownAt === question.knownAt) return;
    const timer = setTimeout(() => void ask({ ...question, knownAt }), REST_MS);
    return () => clearTimeout(timer);
  }, [knownAt, question]);
}

function Panel({ question, knownAt }: { question: WhyRequest; knownAt: number | null }) {
  const answer = useWhy((state) => state.answer);
  const failure = useWhy((state) => state.failure);
  const panel = useFocusWhileOpen(question);
  const path = useOverlay((overlay) => overlay.lit);
  useMoment(question, knownAt);
  useEffect(() => close, []);
  // The whole path is still seen.
  useBeside(useCallback(() => revealAll([...path.nodes]), [path]));
  return (
    <aside ref={panel} className="why-panel" aria-label="Why?" tabIndex={-1} data-testid="why-panel">
      <header className="row">
        <h2>Why?</h2>
        <span className="faint">
          {question.name} of {question.key} at {formatExact(question.at, question.at)}{" "}
          {formatOffset(question.at)}
          {question.knownAt !== null && (
            <b data-testid="why-then"> as of {formatInstant(question.knownAt, question.at)}</b>
          )}
        </span>
        <span className="spacer" />
        <button type="button" className="quiet" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      <div aria-live="polite">
        {failure !== null && <p className="bad">{failure}</p>}
        {answer !== null && <Chain answer={answer} />}
        {answer === null && failure === null && <p className="faint">Loading…</p>}
      </div>
    </aside>
  );
}

/** The reasons for the span that was clicked, as of `knownAt` (null: now); nothing while none was. */
export function WhyPanel({ knownAt }: { knownAt: number | null }) {
  const question = useWhy((state) => state.question);
  return question && <Panel question={question} knownAt={knownAt} />;
}
