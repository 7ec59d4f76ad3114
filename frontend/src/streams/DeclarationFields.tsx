import { useId } from "react";
import type { Guessed, Role } from "../core/api/streams";
import type { TimeUnit } from "../core/api/types";
import { FieldTable } from "./FieldTable";
import { GuessNote } from "./Guessed";
import { fieldsOfKey, withFirst } from "./key";
import { KeyFields } from "./KeyFields";
import { TextField } from "./TextField";
import { takesZone, type Draft, type StatedPart } from "./draft";

const UNITS: Readonly<Record<TimeUnit, string>> = {
  ms: "milliseconds",
  s: "seconds",
  us: "microseconds",
  ns: "nanoseconds",
  iso8601: "ISO 8601 text",
};

export type Change = <W extends StatedPart | "name">(what: W, value: Draft[W]) => void;

interface Props {
  draft: Draft;
  change: Change;
  guessed: Guessed | null;
  /** What cannot be changed any more, and why. */
  locked?: Partial<Record<Role | "name", string>>;
}

const FORMAT = "%Y-%m-%d %H:%M:%S";
const ENCODINGS = [
  "windows-1250",
  "windows-1251",
  "windows-1252",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "iso8859-2",
  "koi8-r",
  "mac-roman",
  "shift_jis",
  "euc_jp",
  "gb18030",
  "big5",
  "euc_kr",
  "utf-16-le",
];
const ZONES = Intl.supportedValuesOf("timeZone");

function UnitField({ draft, change, guessed, locked }: Props) {
  const id = useId();
  const guess = guessed?.guesses.find(({ what }) => what === "unit");
  return (
    <div className="field">
      <label htmlFor={id}>Time unit</label>
      <select
        id={id}
        data-testid="stream-unit"
        value={Object.hasOwn(UNITS, draft.unit) ? draft.unit : FORMAT}
        disabled={locked?.unit !== undefined}
        onChange={(event) => change("unit", event.target.value)}
      >
        {Object.entries(UNITS).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
        <option value={FORMAT}>text of a format</option>
      </select>
      <small className="faint">{locked?.unit ?? "Times are stored in UTC, to the microsecond."}</small>
      <GuessNote
        guess={
          guess && {
            ...guess,
            alternatives: guess.alternatives.filter(({ value }) => value.includes("%")),
          }
        }
        value={draft.unit}
        take={(value) => change("unit", value)}
      />
    </div>
  );
}

/** How text spells times, and whose clock it shows. */
function LocalTimeFields({ draft, change, guessed, locked }: Props) {
  if (!takesZone(draft.unit)) return null;
  const isFormat = !Object.hasOwn(UNITS, draft.unit);
  return (
    <>
      {isFormat && (
        <TextField
          label="Format"
          name="format"
          value={draft.unit}
          change={(value) => change("unit", value)}
          help="As strptime has it: %d.%m.%Y %H:%M:%S, or %m/%d/%Y %I:%M %p."
          locked={locked?.unit ?? null}
        />
      )}
      <TextField
        label="Time zone"
        name="zone"
        value={draft.zone}
        change={(value) => change("zone", value)}
        help="For times without an offset, such as Europe/Berlin. Leave empty for UTC."
        offers={ZONES}
        locked={locked?.zone ?? null}
        optional
      >
        <GuessNote
          guess={guessed?.guesses.find(({ what }) => what === "zone")}
          value={draft.zone}
          take={(value) => change("zone", value)}
        />
      </TextField>
    </>
  );
}

const ROLES: readonly {
  what: Exclude<Role, "unit" | "zone">;
  label: string;
  help: string;
  optional?: boolean;
}[] = [
  {
    what: "key",
    label: "Key field",
    help: "Identifies the entity: session, card, machine.",
  },
  {
    what: "time",
    label: "Time field",
    help: "When it happened, not when it arrived.",
  },
  {
    what: "until",
    label: "End field",
    help: "End of the row’s span, in the same unit: stops, maintenance, bookings. Leave empty for instants.",
    optional: true,
  },
  {
    what: "id",
    label: "Id field",
    help: "Events with the same id count once.",
    optional: true,
  },
  {
    what: "allowed_lateness",
    label: "Allowed lateness",
    help: "How late events usually are: 30s, 10min. Older results are final; an even later event still corrects them.",
  },
  {
    what: "retention",
    label: "Retention",
    help: "How late an event may be and still count: 7d. Older history is compacted.",
  },
];

function RoleField({ role, ...props }: Props & { role: (typeof ROLES)[number] }) {
  const { draft, change, guessed, locked } = props;
  const { what } = role;
  const offers = guessed?.fields.map(({ name }) => name);
  const mayBeSeveral = what === "key" || what === "time";
  const names = mayBeSeveral ? fieldsOfKey(draft[what]) : [draft[what]];
  const [first = ""] = names;
  const isField = what === "key" || what === "time" || what === "until" || what === "id";
  return (
    <TextField
      {...role}
      name={what}
      value={first}
      change={(value) => change(what, mayBeSeveral ? withFirst(draft[what], value) : value)}
      locked={locked?.[what] ?? null}
      offers={isField ? offers : undefined}
    >
      {mayBeSeveral && locked?.[what] === undefined && (what === "key" || names.length > 1) && (
        <KeyFields
          role={what}
          value={draft[what]}
          change={(value) => change(what, value)}
          offers={offers ?? []}
        />
      )}
      <GuessNote
        guess={guessed?.guesses.find((guess) => guess.what === what)}
        value={draft[what]}
        take={(value) => change(what, value)}
      />
    </TextField>
  );
}

/** How text that is not UTF-8 is read. */
export function EncodingField({ value, change }: { value: string; change: (value: string) => void }) {
  return (
    <TextField
      label="Encoding"
      name="encoding"
      value={value}
      change={change}
      help="Of text that is not UTF-8, such as windows-1251 or shift_jis. Leave empty to detect it."
      offers={ENCODINGS}
      optional
    />
  );
}

/** Everything of a declaration, each with what the sample says of it. */
export function DeclarationFields(props: Props) {
  const { draft, change, guessed, locked } = props;
  const [key, time, ...others] = ROLES;
  return (
    <>
      <div className="grid declaring">
        <TextField
          label="Name"
          name="name"
          value={draft.name}
          change={(value) => change("name", value)}
          help="Name used in plans. Letters, digits and _ only."
          locked={locked?.name ?? null}
        />
        {key && <RoleField {...props} role={key} />}
        {time && <RoleField {...props} role={time} />}
        <UnitField {...props} />
        <LocalTimeFields {...props} />
        {others.map((role) => (
          <RoleField key={role.what} {...props} role={role} />
        ))}
        <TextField
          label="Idle after"
          name="idle_after"
          value={draft.idle_after}
          change={(value) => change("idle_after", value)}
          help="After this long without events, such as 1min, the clock advances results to final. Leave empty to wait for events."
          optional
        />
        <TextField
          label="Allowed ahead"
          name="allowed_ahead"
          value={draft.allowed_ahead}
          change={(value) => change("allowed_ahead", value)}
          help="How far a clock may run ahead: 10min, 1d, never. An event whose time lies further after its arrival is rejected and kept in quarantine."
        />
        <EncodingField value={draft.encoding} change={(value) => change("encoding", value)} />
      </div>
      <FieldTable
        rows={draft.fields}
        change={(rows) => change("fields", rows)}
        guesses={guessed?.fields ?? []}
      />
    </>
  );
}
