/** The editors of a sequence: its steps, one under the other, and the conditions that break it. */
import { useId, type ReactNode } from "react";
import type { SequencePart, Stream } from "../../core/api/types";
import { buildExampleCondition } from "../../core/graph/examples";
import { DURATION } from "../../core/graph/hints";
import { MAX_STEPS, partsOf, withPart, withPartEarlier, withoutPart, withStep } from "../../core/graph/steps";
import { ConditionInput } from "./ConditionInput";
import type { FieldProps } from "./fieldProps";
import { likelyStream, useStudio } from "./store";

interface PartProps {
  part: SequencePart;
  label: string;
  streams: ReadonlyMap<string, Stream>;
  change: (change: Partial<SequencePart>) => void;
  testid: string;
}

/** The stream whose events are meant, and which of them. */
function Events({ part, label, streams, change, testid }: PartProps) {
  const names = [...streams.keys()];
  const known = streams.has(part.stream);
  return (
    <>
      <select
        aria-label={`Stream of ${label}`}
        data-testid={`${testid}-stream`}
        value={part.stream}
        onChange={(event) => change({ stream: event.target.value })}
      >
        {!known && <option value={part.stream}>{part.stream || "Choose a stream"}</option>}
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <ConditionInput
        aria-label={`Condition of ${label}`}
        data-testid={`${testid}-where`}
        value={part.where ?? ""}
        placeholder={`every event; or ${buildExampleCondition(streams.get(part.stream))}`}
        stream={streams.get(part.stream)}
        take={(where) => change({ where })}
      />
    </>
  );
}

function Parts({ children, add, full }: { children: ReactNode; add: () => void; full: boolean }) {
  return (
    <>
      <ol className="sequence-parts">{children}</ol>
      <button type="button" disabled={full} onClick={add}>
        Add
      </button>
    </>
  );
}

function Remove({ label, remove }: { label: string; remove: () => void }) {
  return (
    <button type="button" className="quiet" aria-label={`Remove ${label}`} onClick={remove}>
      ×
    </button>
  );
}

export function StepsField({ id, parameter, value, change }: FieldProps) {
  const streams = useStudio((state) => state.streams);
  const steps = partsOf(value);
  const first = useStudio(likelyStream) ?? streams.keys().next().value ?? "";
  const add = () => change(withStep(steps, first));
  return (
    <div id={id} role="group" aria-label={parameter.title} data-testid={`param-${parameter.name}`}>
      <Parts add={add} full={steps.length >= MAX_STEPS}>
        {steps.map((step, at) => {
          const label = `step ${at + 1}`;
          const set = (part: Partial<SequencePart>) => change(withPart(steps, at, part));
          return (
            // The place is what a step is known by: its name changes while it is written.
            <li key={at}>
              <div className="row">
                <input
                  aria-label={`Name of ${label}`}
                  data-testid={`step-${at}-name`}
                  value={step.name ?? ""}
                  spellCheck={false}
                  autoComplete="off"
                  onChange={(event) => set({ name: event.target.value })}
                />
                <button
                  type="button"
                  className="quiet"
                  disabled={at === 0}
                  aria-label={`Move ${label} up`}
                  onClick={() => change(withPartEarlier(steps, at))}
                >
                  ↑
                </button>
                <Remove label={label} remove={() => change(withoutPart(steps, at))} />
              </div>
              <Events part={step} label={label} streams={streams} change={set} testid={`step-${at}`} />
              {at > 0 && (
                <label className="row within">
                  <span className="faint">within</span>
                  <input
                    className="code"
                    aria-label={`Limit from the step before to ${label}`}
                    data-testid={`step-${at}-within`}
                    value={step.within ?? ""}
                    placeholder="optional, such as 5min"
                    aria-invalid={(step.within !== undefined && !DURATION.test(step.within)) || undefined}
                    spellCheck={false}
                    autoComplete="off"
                    onChange={(event) => set({ within: event.target.value })}
                  />
                </label>
              )}
            </li>
          );
        })}
      </Parts>
    </div>
  );
}

interface BetweenProps {
  between: readonly string[] | undefined;
  steps: readonly string[];
  label: string;
  change: (between: string[] | undefined) => void;
}

/** Anywhere, or from after one step until another one. */
function Between({ between, steps, label, change }: BetweenProps) {
  const anywhere = useId();
  const [from = "", to = ""] = between ?? [];
  const ends: [string, string, readonly string[]][] = [
    ["From", from, steps.slice(0, -1)],
    ["To", to, steps.slice(Math.max(steps.indexOf(from), 0) + 1)],
  ];
  const whole = [steps[0] ?? "", steps.at(-1) ?? ""];
  const set = (which: string, name: string) => change(which === "From" ? [name, to] : [from, name]);
  return (
    <>
      <label className="check" htmlFor={anywhere}>
        <input
          id={anywhere}
          type="checkbox"
          checked={between === undefined}
          onChange={(event) => change(event.target.checked ? undefined : whole)}
        />
        Anywhere
      </label>
      {between !== undefined && (
        <div className="row">
          {ends.map(([which, chosen, choices]) => (
            <select
              key={which}
              aria-label={`${which} which step, of ${label}`}
              value={chosen}
              onChange={(event) => set(which, event.target.value)}
            >
              {!choices.includes(chosen) && <option value={chosen}>{chosen}</option>}
              {choices.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          ))}
        </div>
      )}
    </>
  );
}

export function BreaksField({ id, parameter, value, steps = [], change }: FieldProps) {
  const streams = useStudio((state) => state.streams);
  const breaks = partsOf(value);
  const first = useStudio(likelyStream) ?? streams.keys().next().value ?? "";
  const keep = (parts: SequencePart[]) => change(parts.length > 0 ? parts : undefined);
  return (
    <div id={id} role="group" aria-label={parameter.title} data-testid={`param-${parameter.name}`}>
      <Parts add={() => change([...breaks, { stream: first }])} full={breaks.length >= MAX_STEPS}>
        {breaks.map((part, at) => {
          const label = `condition ${at + 1} that breaks it`;
          const set = (changed: Partial<SequencePart>) => keep(withPart(breaks, at, changed));
          return (
            <li key={at}>
              <Events part={part} label={label} streams={streams} change={set} testid={`break-${at}`} />
              <Between
                between={part.between}
                steps={steps}
                label={label}
                change={(between) => set({ between })}
              />
              <Remove label={label} remove={() => keep(breaks.filter((_, place) => place !== at))} />
            </li>
          );
        })}
      </Parts>
    </div>
  );
}
