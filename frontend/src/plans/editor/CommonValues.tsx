import {
  commonValues,
  isUnseen,
  formatSample,
  formatShare,
  formatUnseen,
} from "../../core/language/commonValues";
import { spell } from "../../core/graph/values";
import type { FieldProps } from "./fieldProps";
import { useFieldValues } from "./fieldValues";

const MAX_OFFERED_VALUES = 6;

/** The values that the field has had lately, to be taken by a click; and that it never had the one that is set. */
export function CommonValues({ parameter, value, origin, change }: FieldProps) {
  const sample = useFieldValues(origin?.stream);
  if (!origin || sample === null) return null;
  const offered = commonValues(sample, origin.field).slice(0, MAX_OFFERED_VALUES);
  if (offered.length === 0) return null;
  const unseen = typeof value === "string" && value !== "" && isUnseen(sample, origin.field, value);
  return (
    <>
      {unseen && (
        <small className="faint" data-testid={`unseen-${parameter.name}`}>
          {formatUnseen({ field: origin.field, value }, sample)}
        </small>
      )}
      <span className="common-values" role="group" aria-label={`Values of ${origin.field}`}>
        {offered.map((one) => (
          <button
            key={spell(one.value)}
            type="button"
            aria-pressed={one.value === value}
            onClick={() => change(one.value)}
          >
            {spell(one.value)} · {formatShare(one.share)}
          </button>
        ))}
      </span>
      <small className="faint">{formatSample(sample)}</small>
    </>
  );
}
