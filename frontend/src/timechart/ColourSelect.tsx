import { useDark } from "../core/ui/theme";
import { colourNamed, DARK, LIGHT } from "./colours";
import { COLOURS, type ColourName } from "./display";

interface Props {
  label: string;
  value: ColourName | undefined;
  /** The colour that it has where none is chosen; left out: one must be chosen. */
  guessed?: string;
  choose: (colour: ColourName | undefined) => void;
}

/** A colour by its name, with a mark of it. */
export function ColourSelect({ label, value, guessed, choose }: Props) {
  const theme = useDark() ? DARK : LIGHT;
  const background = value === undefined ? guessed : colourNamed(value, theme);
  return (
    <span className="colour-select">
      <span className="swatch" style={{ background }} aria-hidden="true" />
      <select
        aria-label={label}
        value={value ?? ""}
        onChange={({ target }) => choose(target.value === "" ? undefined : (target.value as ColourName))}
      >
        {guessed !== undefined && <option value="">Automatic</option>}
        {Object.entries(COLOURS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </span>
  );
}
