/** The fields with which a chart is set up. */
import { useId, useState } from "react";
import type { ChartDraft, Change, ChartType, Order } from "../core/api/dashboards";
import { KeyChooser } from "../core/search/KeyChooser";
import { ChooseField } from "../core/search/ChooseField";
import type { Choice } from "../core/search/options";
import {
  DECLARED,
  DEFAULT_TOP,
  hasOption,
  plainTitle,
  refusesNode,
  TYPES,
  type ChartableNode,
} from "./document";
import { findNodes, findPlans } from "./chartOptions";
import { digestsIn, everyoneIn, groupedIn, type PlanContext } from "./nodes";
import { MOST_SELECTED } from "./link";
import { spellLength } from "../core/time/range";

/** Any plan that one may look at: searched, so that there may be thousands. */
const CHANGES: readonly Change[] = ["1m", "5m", "15m", "1h", "6h", "24h"];

export function PlanField({ name, choose }: { name: string; choose: (plan: Choice) => void }) {
  return (
    <ChooseField
      label="Plan"
      testid="chart-plan"
      what="plans"
      kind="plan"
      value={name}
      find={findPlans}
      choose={choose}
    />
  );
}

export function NodeField({
  known,
  value,
  choose,
}: {
  known: PlanContext;
  value: string;
  choose: (name: string) => void;
}) {
  const [find] = useState(() => findNodes(known));
  return (
    <ChooseField
      label="Node"
      testid="chart-node"
      what="nodes"
      kind={null}
      value={value}
      find={find}
      choose={({ id }) => choose(id)}
    />
  );
}

export function TypeField({
  shown,
  value,
  choose,
}: {
  shown: ChartableNode;
  value: ChartType;
  choose: (type: ChartType) => void;
}) {
  const name = useId();
  return (
    <fieldset className="chart-types">
      <legend>Chart</legend>
      {TYPES.map((type) => {
        const refusal = refusesNode(type, shown);
        return (
          <label key={type} className={refusal ? "faint" : ""}>
            <input
              type="radio"
              name={name}
              value={type}
              checked={value === type}
              disabled={refusal !== null}
              onChange={() => choose(type)}
            />
            <span>
              <b>{DECLARED[type].title}</b>
              <small className="faint">{refusal ?? DECLARED[type].meaning}</small>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

export interface FieldsProps {
  draft: ChartDraft;
  edit: (change: Partial<ChartDraft>) => void;
}

export function KeyField({ draft, edit, known }: FieldsProps & { known: PlanContext }) {
  const name = useId();
  const grouped = groupedIn(known, draft.node);
  const digest = digestsIn(known).get(draft.node) ?? draft.digest ?? null;
  if (everyoneIn(known, draft.node))
    return (
      <p className="faint">
        Its only group is everyone, <code>*</code>.
      </p>
    );
  return (
    <fieldset>
      <legend>{grouped ? "Group" : "Key"}</legend>
      <label className="check">
        <input type="radio" name={name} checked={draft.key === null} onChange={() => edit({ key: null })} />
        Follow the dashboard selection
      </label>
      <label className="check">
        <input
          type="radio"
          name={name}
          checked={draft.key !== null}
          onChange={() => edit({ key: draft.key ?? "" })}
        />
        Fixed
      </label>
      {draft.key === null && hasOption(draft.type, "repeat") && (
        <label className="check">
          <input
            type="checkbox"
            data-testid="chart-repeat"
            checked={draft.repeat ?? false}
            onChange={(event) => edit({ repeat: event.target.checked })}
          />
          {`Repeat for each selected ${grouped ? "group" : "key"}, at most ${MOST_SELECTED}`}
        </label>
      )}
      {draft.key !== null && (
        <KeyChooser
          label={grouped ? "Group" : "Key"}
          testId="chart-key"
          digest={digest}
          value={draft.key}
          choose={(key) => edit({ key })}
        />
      )}
    </fieldset>
  );
}

export function TopFields({ draft, edit }: FieldsProps) {
  const id = useId();
  const { most } = DECLARED[draft.type];
  return (
    <div className="row">
      <div className="field">
        <label htmlFor={`${id}-top`}>How many</label>
        <input
          id={`${id}-top`}
          type="number"
          min={1}
          max={most}
          value={draft.top ?? DEFAULT_TOP}
          onChange={(event) =>
            edit({ top: Math.max(1, Math.min(most, Math.round(Number(event.target.value)) || 1)) })
          }
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-order`}>Those with</label>
        <select
          id={`${id}-order`}
          value={draft.order ?? "most"}
          onChange={(event) => edit({ order: event.target.value as Order })}
        >
          <option value="most">the most</option>
          <option value="least">the least</option>
        </select>
      </div>
    </div>
  );
}

export function LooksFields({ draft, edit }: FieldsProps) {
  const id = useId();
  return (
    <div className="row">
      <div className="field grow">
        <label htmlFor={`${id}-title`}>
          Title <i className="faint">optional</i>
        </label>
        <input
          id={`${id}-title`}
          maxLength={200}
          value={draft.title}
          placeholder={plainTitle(draft)}
          onChange={(event) => edit({ title: event.target.value })}
        />
      </div>
      {hasOption(draft.type, "unit") && (
        <div className="field short">
          <label htmlFor={`${id}-unit`}>
            Unit <i className="faint">optional</i>
          </label>
          <input
            id={`${id}-unit`}
            maxLength={20}
            value={draft.unit ?? ""}
            placeholder="s"
            onChange={(event) => edit({ unit: event.target.value })}
          />
        </div>
      )}
      {hasOption(draft.type, "change") && (
        <div className="field">
          <label htmlFor={`${id}-change`}>Change</label>
          <select
            id={`${id}-change`}
            value={draft.change ?? ""}
            onChange={(event) => edit({ change: (event.target.value || null) as Change | null })}
          >
            <option value="">not shown</option>
            {CHANGES.map((range) => (
              <option key={range} value={range}>
                in {spellLength(range)}
              </option>
            ))}
          </select>
        </div>
      )}
    </div>
  );
}
