import type { ComponentProps, RefObject } from "react";
import type { Option } from "./options";

interface Props extends Omit<ComponentProps<"input">, "ref" | "list"> {
  id: string;
  /** Of the field itself, for a label that is seen. */
  inputId?: string;
  label: string;
  ref: RefObject<HTMLInputElement | null>;
  options: readonly Option[];
  /** Its number in the list; -1: none. */
  at: number;
  wrong: boolean;
}

/** A field with a list below: the keyboard stays here, and says which of the list is meant. */
export function ComboField({ id, inputId, label, ref, options, at, wrong, ...more }: Props) {
  return (
    <input
      ref={ref}
      id={inputId}
      type="text"
      role="combobox"
      aria-label={label}
      aria-expanded={options.length > 0}
      aria-controls={`${id}-list`}
      aria-autocomplete="list"
      aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
      aria-invalid={wrong}
      aria-describedby={wrong ? `${id}-wrong` : undefined}
      autoComplete="off"
      spellCheck={false}
      maxLength={500}
      {...more}
    />
  );
}
