import { TextField } from "../core/ui/TextField";
import type { FlappingDraft } from "./flapping";

interface Props {
  draft: FlappingDraft;
  change: (draft: FlappingDraft) => void;
}

/** How often incidents of a key may start before receivers are notified only once. */
export function FlappingFields({ draft, change }: Props) {
  const set = (name: keyof FlappingDraft) => (value: string) => change({ ...draft, [name]: value });
  return (
    <fieldset className="alert-limits">
      <legend>Flapping</legend>
      <div className="grid">
        <TextField
          label="Most starts of a key"
          value={draft.starts}
          placeholder="4"
          testid="alert-flapping-starts"
          spellCheck={false}
          set={set("starts")}
        />
        <TextField
          label="In minutes"
          value={draft.minutes}
          placeholder="30"
          testid="alert-flapping-minutes"
          spellCheck={false}
          set={set("minutes")}
        />
      </div>
      <p className="faint">Beyond it: one message, and one when the key has settled. 0: never.</p>
    </fieldset>
  );
}
