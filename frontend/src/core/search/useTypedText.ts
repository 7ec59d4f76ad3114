import { useLayoutEffect, useRef, useState, type ChangeEvent, type SyntheticEvent } from "react";
import { acceptProposal, type Proposal } from "./proposals";

export interface TypedText {
  text: string;
  caret: number;
  /** What somebody moved to; null: nobody did since the text changed. */
  active: string | null;
  activate: (id: string | null) => void;
  put: (text: string, caret: number, input: HTMLInputElement | null) => void;
  take: (proposal: Proposal, input: HTMLInputElement | null) => void;
  props: {
    value: string;
    onChange: (event: ChangeEvent<HTMLInputElement>) => void;
    onSelect: (event: SyntheticEvent<HTMLInputElement>) => void;
  };
}

interface TextSetter {
  text: string;
  set: (text: string) => void;
}

/** A text that is typed, and where; the text may be held elsewhere. */
export function useTypedText(first: string, held?: TextSetter): TypedText {
  const [own, setOwn] = useState(first);
  const [caret, setCaret] = useState(first.length);
  const [active, activate] = useState<string | null>(null);
  const wanted = useRef<{ input: HTMLInputElement; caret: number } | null>(null);
  const text = held?.text ?? own;
  const set = (next: string, at: number) => {
    (held?.set ?? setOwn)(next);
    setCaret(at);
    activate(null);
  };
  useLayoutEffect(() => {
    wanted.current?.input.setSelectionRange(wanted.current.caret, wanted.current.caret);
    wanted.current = null;
  }, [text]);
  const put = (next: string, at: number, input: HTMLInputElement | null) => {
    if (input) {
      input.focus();
      wanted.current = { input, caret: at };
    }
    set(next, at);
  };
  const take = (proposal: Proposal, input: HTMLInputElement | null) => {
    const next = acceptProposal(text, proposal);
    put(next.text, next.caret, input);
  };
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) =>
    set(target.value, target.selectionStart ?? target.value.length);
  const onSelect = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) =>
    setCaret(currentTarget.selectionStart ?? currentTarget.value.length);
  return {
    text,
    caret: Math.min(caret, text.length),
    active,
    activate,
    put,
    take,
    props: { value: text, onChange, onSelect },
  };
}
