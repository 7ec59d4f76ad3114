import { useId } from "react";
import { fetchPage } from "../core/api/client";
import type { Plan } from "../core/api/types";
import { spellZone, useZone } from "../core/time/zone";
import { ChoiceField } from "../core/ui/ChoiceField";
import { Failure } from "../core/ui/Failure";
import { useLoaded } from "../core/ui/useLoaded";
import { capitalize } from "./alertState";
import { DAYS, PATTERNS, spellNode, withPattern, type Day, type SilenceDraft } from "./silenceTimes";

interface Props {
  draft: SilenceDraft;
  set: (draft: SilenceDraft) => void;
}

function TimeField({
  label,
  value,
  set,
  testid,
}: {
  label: string;
  value: string;
  set: (value: string) => void;
  testid: string;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        data-testid={testid}
        type="time"
        value={value}
        onChange={(event) => set(event.target.value)}
      />
    </div>
  );
}

const toggleDay = (days: readonly Day[], day: Day): readonly Day[] =>
  DAYS.filter((other) => days.includes(other) !== (other === day));

function ScheduleFields({ draft, set }: Props) {
  const zone = useZone();
  return (
    <>
      <div className="segments" role="group" aria-label="Days">
        {DAYS.map((day) => (
          <button
            key={day}
            type="button"
            data-testid={`silence-${day}`}
            aria-pressed={draft.days.includes(day)}
            onClick={() => set({ ...draft, days: toggleDay(draft.days, day) })}
          >
            {capitalize(day)}
          </button>
        ))}
      </div>
      <div className="grid silence-times">
        <TimeField
          label={`From (${spellZone(zone)})`}
          testid="silence-from"
          value={draft.from}
          set={(from) => set({ ...draft, from })}
        />
        <TimeField
          label={draft.to > draft.from ? "To" : "To, on the next day"}
          testid="silence-to"
          value={draft.to}
          set={(to) => set({ ...draft, to })}
        />
      </div>
    </>
  );
}

const fetchRunningPlans = () => fetchPage<Plan>("/api/plans/?q=is%3Arunning&limit=100");

function NodeField({ draft, set }: Props) {
  const { value, failure } = useLoaded(fetchRunningPlans);
  const groups = (value?.results ?? []).flatMap(({ id, name, nodes }) => {
    const choices = nodes
      .filter(({ kind }) => kind === "bool")
      .map(({ name: node }) => [spellNode(id, node), node] as const);
    return choices.length === 0 ? [] : [[name, choices] as const];
  });
  return (
    <>
      <Failure words={failure} />
      <ChoiceField
        label="Node that is true during maintenance"
        testid="silence-node"
        value={draft.node}
        choices={[
          [
            "",
            value === null ? "Loading" : groups.length === 0 ? "No plan runs a bool node" : "Choose a node",
          ],
        ]}
        groups={groups}
        set={(node) => set({ ...draft, node })}
      />
      <small className="faint">
        It silences the keys of which this node is true, or all where its key is *.
      </small>
    </>
  );
}

/** When a silence holds between its begin and its end. */
export function PatternFields({ draft, set }: Props) {
  return (
    <>
      <ChoiceField
        label="When"
        testid="silence-pattern"
        value={draft.pattern}
        choices={PATTERNS}
        set={(value) => {
          const pattern = PATTERNS.find(([name]) => name === value)?.[0] ?? "always";
          set(withPattern(draft, pattern, Date.now() * 1000));
        }}
      />
      {draft.pattern === "schedule" && <ScheduleFields draft={draft} set={set} />}
      {draft.pattern === "node" && <NodeField draft={draft} set={set} />}
    </>
  );
}
