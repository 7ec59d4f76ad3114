import { useId, useState, type KeyboardEvent } from "react";
import { fieldsOfKey, keyOfFields } from "./key";

interface Props {
  role: "key" | "time";
  value: string;
  change: (value: string) => void;
  /** The columns that the sample has. */
  offers: readonly string[];
}

/** The fields of a key or a time beside its first one: removed, or another one added. */
export function KeyFields({ role, value, change, offers }: Props) {
  const [name, setName] = useState("");
  const id = useId();
  const [first = "", ...others] = fieldsOfKey(value);
  const add = () => {
    change(keyOfFields([first, ...others, name.trim()]));
    setName("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || name.trim() === "") return;
    event.preventDefault(); // it adds the field, and does not send the form
    add();
  };
  if (first === "") return null;
  return (
    <div className="key-fields" data-testid={`${role}-fields`}>
      {others.map((other) => (
        <p key={other} className="row">
          and <b className="code">{other}</b>
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${other} from the ${role}`}
            onClick={() => change(keyOfFields([first, ...others.filter((one) => one !== other)]))}
          >
            ×
          </button>
        </p>
      ))}
      <p className="row">
        <input
          aria-label={`Another field of the ${role}`}
          placeholder="and another field"
          data-testid={`${role}-another`}
          list={`${id}-offers`}
          spellCheck={false}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <button type="button" data-testid={`${role}-add`} disabled={name.trim() === ""} onClick={add}>
          Add
        </button>
      </p>
      <datalist id={`${id}-offers`}>
        {offers
          .filter((offer) => offer !== first && !others.includes(offer))
          .map((offer) => (
            <option key={offer} value={offer} />
          ))}
      </datalist>
    </div>
  );
}
