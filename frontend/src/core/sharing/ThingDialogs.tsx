import { AccessDialog } from "./AccessDialog";
import { ActivityDialog } from "./Activity";
import type { SharedThing } from "./thing";
import { TransferDialog } from "./TransferDialog";

export type ThingDialog = "access" | "transfer" | "activity";

interface Props {
  thing: SharedThing;
  owner_kind: "person" | "team";
  asked: ThingDialog | null;
  close: () => void;
  /** It was shared or transferred. */
  changed: () => void;
}

/** The dialogs about who may do what with a thing, whose it is, and who did what to it. */
export function ThingDialogs({ thing, owner_kind: kind, asked, close, changed }: Props) {
  const done = () => {
    close();
    changed();
  };
  if (asked === "access") return <AccessDialog thing={thing} close={close} done={done} />;
  if (asked === "activity") return <ActivityDialog name={thing.name} path={thing.path} close={close} />;
  if (asked === null) return null;
  return (
    <TransferDialog
      title={`Change owner of “${thing.name}”`}
      path={thing.path}
      owner={{ kind, name: thing.owner }}
      close={close}
      done={done}
    >
      The new owner has all permissions on it. You keep only what is open to everyone or shared with you.
    </TransferDialog>
  );
}
