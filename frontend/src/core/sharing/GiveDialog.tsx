import { useCallback } from "react";
import { useLoaded } from "../ui/useLoaded";
import { Dialog } from "../ui/Dialog";
import { Failure } from "../ui/Failure";
import { formatCounted } from "../ui/format";
import { people, type TransferPreview, type TransferSelection } from "./calls";
import { describeTransferred, describeTransferPreview, formatNames } from "./transferWords";
import { TransferDialog } from "./TransferDialog";

interface Props {
  meant: TransferSelection;
  /** plans */
  what: string;
  close: () => void;
  /** What was done, in words. */
  done: (said: string) => void;
}

function Stays({ giving, what }: { giving: TransferPreview; what: string }) {
  const { kept, others } = giving;
  if (others === 0) return null;
  return (
    <p className="stays" data-testid="stays">
      {others.toLocaleString("en")} {others === 1 ? "is" : "are"} not yours, and{" "}
      {others === 1 ? "stays" : "stay"}:{" "}
      {kept
        .slice(0, 5)
        .map(({ name, owner }) => `“${name}” of ${owner}`)
        .join(", ")}
      {others > 5 && ` and ${(others - 5).toLocaleString("en")} more ${what}`}.
    </p>
  );
}

/** The names of those that go. */
function Goes({ giving }: { giving: TransferPreview }) {
  if (giving.count === 0) return null;
  return (
    <p className="goes" data-testid="goes">
      {formatNames(
        giving.given.map(({ name }) => name),
        giving.count,
      )}
    </p>
  );
}

/** Giving many away: what that means, to whom, and why. */
export function GiveDialog({ meant, what, close, done }: Props) {
  const ask = useCallback(() => people.giving(meant), [meant]);
  const { value, failure } = useLoaded(ask);
  if (value === null)
    return (
      <Dialog title={`Change owner of ${what}`} close={close}>
        {failure === null ? <p className="faint">Counting.</p> : <Failure words={failure} />}
      </Dialog>
    );
  const { count } = value;
  const act = {
    title: "Change owner",
    refusal: count === 0 ? "You own none of them." : null,
    go: (to: Parameters<typeof people.give>[1], reason: string) => people.give(meant, to, reason, count),
  };
  return (
    <TransferDialog
      title={`Change owner of ${formatCounted(count, what)}`}
      path=""
      owner={value.owner}
      act={act}
      close={close}
      done={(to) => done(describeTransferred(count, what, to.name))}
    >
      <Goes giving={value} />
      <p>{describeTransferPreview(value, what)}</p>
      <Stays giving={value} what={what} />
    </TransferDialog>
  );
}
