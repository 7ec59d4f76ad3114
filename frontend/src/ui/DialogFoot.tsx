import type { ReactNode } from "react";
import { Failure } from "./Failure";

interface Props {
  /** Why it was refused. */
  failure?: string | null;
  /** What the button does; without it, the button sends the form that it stands in. */
  go?: () => void;
  /** Why it cannot be done yet, or that it cannot. */
  disabled?: boolean;
  title?: string;
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
  danger,
  testid,
  close,
  leave = "Cancel",
  children,
  ...rest
}: Props) {
  return (
    <>
      <Failure words={failure} />
      <div className="row">
        <button
          type={go ? "button" : "submit"}
          className={danger ? "danger" : "primary"}
          data-testid={testid}
          onClick={go}
          {...rest}
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
