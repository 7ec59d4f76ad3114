/** The steps of a funnel, each with its share, and the keys that stopped at one. */
import { useState, type ReactNode } from "react";
import { describeError } from "../core/api/client";
import type { Funnel, FunnelStep, StoppedKey } from "../core/api/timelines";
import { fetchNextFunnelPage } from "../core/api/timelineCalls";
import { formatMoment } from "../core/time/format";
import { formatLength } from "../core/ui/format";
import { useDark } from "../core/ui/theme";
import { colourNamed, DARK, LIGHT } from "./colours";
import { chosenColour, labelOf, type Display } from "./display";
import { describeFunnelStops, formatPercent } from "./funnelWords";
import "./funnel.css";

interface StepProps {
  step: FunnelStep;
  before: string | null;
  display: Display;
  isChosen: boolean;
  choose: (() => void) | null;
}

function Step({ step, before, display, isChosen, choose }: StepProps) {
  const theme = useDark() ? DARK : LIGHT;
  const label = labelOf(step.step, display);
  const colour = chosenColour(step.step, display);
  const width = `${(step.share ?? 0) * 100}%`;
  const { median_seconds: median } = step;
  const head = (
    <>
      <span className="funnel-name">{label}</span>
      <span className="funnel-count">
        <b>{step.count.toLocaleString("en")}</b> {step.share !== null && formatPercent(step.share)}
      </span>
      <span className="funnel-place">
        <span
          className="funnel-bar"
          style={{ width, ...(colour === null ? {} : { background: colourNamed(colour, theme) }) }}
        />
      </span>
      <span className="funnel-note faint">
        {before !== null && step.share_of_previous !== null && (
          <span>
            {formatPercent(step.share_of_previous)} of {before}
          </span>
        )}
        {median !== null && <span>median {median === 0 ? "0 s" : formatLength(median * 1_000_000)}</span>}
        {step.stopped > 0 && <span className="funnel-stops">{describeFunnelStops(step)}</span>}
      </span>
    </>
  );
  return (
    <li data-testid={`funnel-step-${step.step}`}>
      {choose === null ? (
        <div className="funnel-step">{head}</div>
      ) : (
        <button
          type="button"
          className="quiet funnel-step"
          aria-expanded={isChosen}
          title={isChosen ? "Hide the keys" : `List the keys that came to ${label} and no further`}
          onClick={choose}
        >
          {head}
        </button>
      )}
    </li>
  );
}

interface StepsProps {
  funnel: Funnel;
  display: Display;
  chosen: string | null;
  /** Null: nothing can be pressed. */
  choose: ((step: string | null) => void) | null;
}

export function FunnelSteps({ funnel, display, chosen, choose }: StepsProps) {
  return (
    <ol className="funnel" data-testid="funnel">
      {funnel.steps.map((step, i) => {
        const before = funnel.steps[i - 1]?.step;
        const isChosen = chosen === step.step;
        return (
          <Step
            key={step.step}
            {...{ step, display, isChosen }}
            before={before === undefined ? null : labelOf(before, display)}
            choose={choose && (() => choose(isChosen ? null : step.step))}
          />
        );
      })}
    </ol>
  );
}

/** What was not looked at, and how far what was is known. */
export function FunnelFoot({ funnel }: { funnel: Funnel }) {
  if (funnel.complete) return null;
  return (
    <p className="faint funnel-foot">
      Not all of {funnel.known.toLocaleString("en")} keys were read: only those that changed last.
    </p>
  );
}

interface StoppedProps {
  funnel: Funnel;
  step: string;
  display: Display;
  /** What leads to the lanes of a key. */
  keyOf: (key: string) => ReactNode;
}

/** Pages after the first, of one answer: while the first goes on, they stay as they were asked for. */
function usePages(funnel: Funnel, step: string) {
  const [more, setMore] = useState<{ of: string; keys: readonly StoppedKey[]; next: string | null } | null>(
    null,
  );
  const [failure, setFailure] = useState<string | null>(null);
  const of = `${funnel.node} ${funnel.count} ${step}`;
  const later = more?.of === of ? more : null;
  const next = later ? later.next : funnel.next;
  const ask = () => {
    if (next === null) return;
    fetchNextFunnelPage(next).then(
      (page) => {
        setFailure(null);
        setMore({ of, keys: [...(later?.keys ?? []), ...page.stopped], next: page.next });
      },
      (error: unknown) => setFailure(describeError(error)),
    );
  };
  const first = new Set(funnel.stopped.map(({ key, start }) => `${start} ${key}`));
  const rest = (later?.keys ?? []).filter(({ key, start }) => !first.has(`${start} ${key}`));
  return { keys: [...funnel.stopped, ...rest], ask: next === null ? null : ask, failure };
}

/** The keys that came to a step and no further. */
export function StoppedKeys({ funnel, step, display, keyOf }: StoppedProps) {
  const { keys, ask, failure } = usePages(funnel, step);
  const label = labelOf(step, display);
  return (
    <section aria-label={`Keys at ${label}`} data-testid="funnel-keys">
      <h3>{step === funnel.steps.at(-1)?.step ? "Completed" : `Stopped at ${label}`}</h3>
      {keys.length === 0 && <p className="faint">No keys.</p>}
      <ol className="funnel-keys">
        {keys.map(({ key, at, start, outcome }) => (
          <li key={`${start} ${key}`}>
            {keyOf(key)}
            <span className="faint" title={`began ${formatMoment(start)}`}>
              {outcome}, {formatMoment(at)}
            </span>
          </li>
        ))}
      </ol>
      {failure !== null && <p className="bad">{failure}</p>}
      {ask && (
        <button type="button" className="quiet" onClick={ask}>
          Show more
        </button>
      )}
    </section>
  );
}
