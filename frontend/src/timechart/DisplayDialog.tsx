/** Choose how the values of a node, or of a field of a stream, are shown. */
import "./display.css";
import { useId, useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import type { Kind, Scalar } from "../core/api/types";
import { Dialog } from "../core/ui/Dialog";
import { Failure } from "../core/ui/Failure";
import { NumberFields } from "./NumberFields";
import { ValueFields } from "./ValueFields";
import { pruneDisplay, type Display } from "./display";
import { askDisplay, saveDisplay, useDisplays, type DisplayOption, type Target } from "./displays";

interface ScopeProps {
  targets: readonly Target[];
  target: Target | undefined;
  choose: (target: Target) => void;
}

function Scope({ targets, target, choose }: ScopeProps) {
  const name = useId();
  if (targets.length < 2) return <p className="faint">{target?.words}</p>;
  return (
    <fieldset className="display-scope">
      <legend>Apply to</legend>
      {targets.map((one) => (
        <label key={one.path} className="check">
          <input type="radio" name={name} checked={one === target} onChange={() => choose(one)} />
          {one.words}
        </label>
      ))}
    </fieldset>
  );
}

interface FormProps {
  name: string;
  kind: Kind;
  values: readonly Scalar[];
  shown: DisplayOption;
  close: () => void;
}

/** Saved for all, a choice for the node alone would still stand before it: that one ends. */
async function saveAt(
  target: Target,
  { targets, overridden }: DisplayOption,
  display: Display | null,
): Promise<void> {
  await saveDisplay(target, display);
  const own = targets.at(-1);
  if (overridden && own && own !== target) await saveDisplay(own, null);
}

export function DisplayForm({ name, kind, values, shown, close }: FormProps) {
  const [draft, setDraft] = useState<Display>(shown.display);
  const { targets, overridden } = shown;
  const [target, setTarget] = useState(overridden ? targets.at(-1) : targets[0]);
  const [failure, setFailure] = useState<string | null>(null);
  const isNumber = kind === "number" || kind === "ratio";
  const save = (display: Display | null) => {
    if (target)
      saveAt(target, shown, display).then(close, (error: unknown) => setFailure(describeError(error)));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(pruneDisplay(draft));
  };
  return (
    <form
      className="display-form"
      data-testid="display-form"
      onSubmit={submit}
      aria-label={`Display of ${name}`}
    >
      {isNumber ? (
        <NumberFields display={draft} change={setDraft} values={values} />
      ) : (
        <ValueFields display={draft} change={setDraft} values={values} />
      )}
      <Scope targets={targets} target={target} choose={setTarget} />
      <Failure words={failure} />
      <div className="row">
        <button type="submit" className="primary" data-testid="display-save">
          Save
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
        {pruneDisplay(shown.display) !== null && (
          <button type="button" data-testid="display-reset" onClick={() => save(null)}>
            Use defaults
          </button>
        )}
      </div>
    </form>
  );
}

/** The dialog of the page, open while something is asked for. */
export function DisplayDialog() {
  const displayQuestion = useDisplays((state) => state.asked);
  const shown = useDisplays((state) => state.shown[state.asked?.name ?? ""]);
  if (displayQuestion === null || shown === undefined) return null;
  const close = () => askDisplay(null);
  return (
    <Dialog title={`Colours and format of ${displayQuestion.name}`} close={close}>
      <DisplayForm {...displayQuestion} shown={shown} close={close} />
    </Dialog>
  );
}
