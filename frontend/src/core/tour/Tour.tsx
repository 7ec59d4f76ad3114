import "./tour.css";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { describeError } from "../api/client";
import { place, type Box } from "./place";
import { after, remember, STEPS, type Step } from "./steps";
import { finish, leave, note, to, useTour } from "./store";
import { useTarget } from "./useTarget";

const NONE: readonly string[] = [];

const path = (): string => window.location.pathname;

/** Goes on by itself when what the step asks for was done. */
function useGoingOn(step: number) {
  const [then, setThen] = useState(false);
  const look = useCallback(() => {
    const { stream } = useTour.getState();
    const memory = remember({ stream }, path());
    if (memory.stream !== stream) note(memory);
    const next = after(step, document, path());
    if (next !== step) to(next);
    setThen(STEPS[step]?.then?.isSo(document) ?? false);
  }, [step]);
  return { then, look };
}

/** What a step does when it is come to, once what it points at is there. */
function useBeginning(step: Step, there: boolean): void {
  const begun = useRef("");
  useEffect(() => {
    if (!there || begun.current === step.id) return;
    begun.current = step.id;
    step.begin?.(document);
  }, [step, there]);
}

/** What the tour can do for the reader; why it could not, where it failed. */
function OfferButton({ offer }: { offer: NonNullable<Step["offer"]> }) {
  const stream = useTour((state) => state.stream);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  if (offer.isOffered?.({ stream }) === false) return null;
  const act = async () => {
    setBusy(true);
    try {
      await offer.act(document, { stream });
      setFailure(null);
      if (!offer.ends) return;
      finish();
      window.location.assign("/");
    } catch (error) {
      setFailure(describeError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type="button"
        className={offer.ends ? "danger" : "primary"}
        disabled={busy}
        onClick={() => void act()}
      >
        {offer.label}
      </button>
      {failure !== null && (
        <small className="bad" role="alert">
          {failure}
        </small>
      )}
    </>
  );
}

interface ButtonsProps {
  step: Step;
  number: number;
  here: boolean;
  /** The tour has nothing to do for the reader any more. */
  then: boolean;
}

function Buttons({ step, number, here, then }: ButtonsProps) {
  const stream = useTour((state) => state.stream);
  const last = number === STEPS.length - 1;
  const next = () => {
    const following = STEPS[number + 1];
    to(number + 1);
    if (following && !following.isHere(path(), { stream }))
      window.location.assign(following.address({ stream }));
  };
  const back = () => {
    const before = STEPS[number - 1];
    to(number - 1);
    if (before && !before.isHere(path(), { stream })) window.location.assign(before.address({ stream }));
  };
  return (
    <div className="row">
      {!here && (
        <a className="button primary" href={step.address({ stream })}>
          Go there
        </a>
      )}
      {here && step.offer && !then && <OfferButton key={step.id} offer={step.offer} />}
      {here && last && (
        <button type="button" className="primary" onClick={finish}>
          Finish
        </button>
      )}
      {here && !last && (
        <button type="button" className={step.isDone ? undefined : "primary"} onClick={next}>
          {step.isDone ? "Skip" : "Next"}
        </button>
      )}
      {number > 0 && (
        <button type="button" onClick={back}>
          Back
        </button>
      )}
      <span className="spacer" />
      <button type="button" className="quiet" onClick={leave}>
        Leave
      </button>
    </div>
  );
}

function Ring({ box }: { box: Box }) {
  const { left, top, width, height } = box;
  return (
    <div
      className="tour-ring"
      aria-hidden="true"
      style={{ left: left - 4, top: top - 4, width: width + 8, height: height + 8 }}
    />
  );
}

/** The place of the words, which is known once their size is. */
function usePlace(box: Box | null, spared: readonly Box[], step: Step) {
  const words = useRef<HTMLElement>(null);
  const [at, setAt] = useState({ left: 8, top: 8 });
  useLayoutEffect(() => {
    const size = words.current?.getBoundingClientRect();
    const view = { width: window.innerWidth, height: window.innerHeight };
    if (size) setAt(place(box, size, view, spared));
  }, [box, spared, step]);
  return { words, at };
}

/** Each step takes the keyboard once, and Escape leaves; a field that is being filled in keeps it. */
function useKeyboard(words: React.RefObject<HTMLElement | null>, step: Step): void {
  useEffect(() => {
    const typing = document.activeElement?.matches("input, textarea, select") === true;
    if (!typing && document.querySelector("dialog[open]") === null) words.current?.focus();
  }, [words, step]);
}

function Words({ number }: { number: number }) {
  const step = STEPS[number] as Step;
  const stream = useTour((state) => state.stream);
  const here = step.isHere(path(), { stream });
  const { then, look } = useGoingOn(number);
  const left = then ? step.then : undefined;
  const { box, spared } = useTarget(
    here ? (left?.target ?? step.target) : ":not(*)",
    look,
    step.spare ?? NONE,
  );
  const { words, at } = usePlace(box, spared, step);
  useKeyboard(words, step);
  useBeginning(step, box !== null);
  return (
    <>
      {box && <Ring box={box} />}
      <section
        ref={words}
        className="tour"
        aria-label="Tour"
        tabIndex={-1}
        style={at}
        data-testid="tour"
        onKeyDown={(event) => event.key === "Escape" && leave()}
      >
        <header className="row spread">
          <h2>{step.title}</h2>
          <span className="faint">
            {number + 1} of {STEPS.length}
          </span>
        </header>
        <p aria-live="polite">{left?.words ?? step.words({ stream })}</p>
        {!here && <p className="faint">This step is on another page.</p>}
        <Buttons step={step} number={number} here={here} then={left !== undefined} />
      </section>
    </>
  );
}

/** The step of the tour that the reader has come to, while it goes on. */
export function Tour() {
  const going = useTour((state) => state.going);
  const step = useTour((state) => state.step);
  return going === "on" && step < STEPS.length ? <Words number={step} /> : null;
}
