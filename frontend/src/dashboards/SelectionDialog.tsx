import { useCallback, useId } from "react";
import { KeyChooser } from "../core/search/KeyChooser";
import { Dialog } from "../core/ui/Dialog";
import { useShallow } from "zustand/react/shallow";
import { MOST_SELECTED } from "./link";
import { change, get, refusesChange, select, selectionOf, set, useBoard } from "./store";

interface Props {
  grouped: boolean;
  /** The node whose keys are offered. */
  digest: string | null;
  close: () => void;
}

/** Keep the selection as that with which the dashboard opens. */
function keep(grouped: boolean): void {
  const [first = "", ...more] = selectionOf(get(), grouped);
  change((document) =>
    grouped ? { ...document, group: first, more_groups: more } : { ...document, key: first, more_keys: more },
  );
  set({ editing: true });
}

interface SelectedProps {
  named: readonly string[];
  grouped: boolean;
  one: string;
  /** What describes the list. */
  id: string;
}

function Selected({ named, grouped, one, id }: SelectedProps) {
  return (
    <ul className="selection" aria-describedby={id} data-testid="selection">
      {named.map((key) => (
        <li key={key}>
          <span>{key}</span>
          <button
            type="button"
            className="quiet small-button"
            aria-label={`Remove ${key}`}
            disabled={named.length === 1}
            title={named.length === 1 ? `One ${one} stays selected` : undefined}
            onClick={() =>
              select(
                grouped,
                named.filter((other) => other !== key),
              )
            }
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Which keys, or groups, the repeated charts show. */
export function SelectionDialog({ grouped, digest, close }: Props) {
  const id = useId();
  const named = useBoard(useShallow((state) => selectionOf(state, grouped)));
  const refusal = useBoard(refusesChange);
  const [one, many] = grouped ? ["group", "groups"] : ["key", "keys"];
  const add = useCallback(
    (key: string) => {
      const held = selectionOf(get(), grouped);
      if (held.length < MOST_SELECTED && !held.includes(key)) select(grouped, [...held, key]);
    },
    [grouped],
  );
  return (
    <Dialog title={`Select ${many}`} close={close}>
      <p className="faint" id={id}>
        Repeated charts have a copy for each. All others show the first.
      </p>
      <Selected {...{ named, grouped, one, id }} />
      {named.length < MOST_SELECTED ? (
        <KeyChooser
          label={`Add a ${one}`}
          testId="selection-add"
          digest={digest}
          value=""
          choose={add}
          isOptional
        />
      ) : (
        <p className="faint">
          {MOST_SELECTED} {many} are selected, which is the most.
        </p>
      )}
      <div className="row">
        <button type="button" className="primary" onClick={close}>
          Done
        </button>
        <button
          type="button"
          disabled={refusal !== null || named.length === 0}
          title={refusal ?? "The dashboard opens with this selection once it is saved"}
          onClick={() => {
            keep(grouped);
            close();
          }}
        >
          Make it the default
        </button>
      </div>
    </Dialog>
  );
}
