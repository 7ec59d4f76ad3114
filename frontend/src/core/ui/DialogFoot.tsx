import { useState, type MouseEvent, type ReactNode } from "react";
import { Failure } from "./Failure";

interface Props {
  /** Why it was refused. */
  failure?: string | null;
  /** What the button does; without it, the button sends the form that it stands in. */
  go?: () => void;
  /** Why it cannot be done yet: told to whoever presses the button all the same. */
  refusal?: string | null;
  /** It is being done. */
  busy?: boolean;
  danger?: boolean;
  testid?: string;
  close: () => void;
  /** What leaving it as it is is called. */
  leave?: string;
  /** What is done. */
  children: ReactNode;
}

/** The foot of a dialog: why it was refused, the button that does it, and the one that does not. */
export function DialogFoot({
  failure,
  go,
  refusal = null,
  busy = false,
  danger,
  testid,
  close,
  leave = "Cancel",
  children,
}: Props) {
  const [pressed, setPressed] = useState<string | null>(null);
  const press = (event: MouseEvent) => {
    setPressed(refusal);
    if (refusal !== null || busy) event.preventDefault();
    else go?.();
  };
  return (
    <>
      <Failure words={pressed !== null && pressed === refusal ? refusal : failure} />
      <div className="row">
        <button
          type={go ? "button" : "submit"}
          className={danger ? "danger" : "primary"}
          data-testid={testid}
          aria-disabled={refusal !== null || busy}
          onClick={press}
        >
          {children}
        </button>
        <button type="button" onClick={close}>
          {leave}
        </button>
      </div>
    </>
  );
}
