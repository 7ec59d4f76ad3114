import { DeleteDialog } from "../core/ui/DeleteDialog";
import { alertApi, type Alert } from "./calls";

interface Props {
  alert: Alert;
  close: () => void;
  done: () => void;
}

export function DeleteAlert({ alert, close, done }: Props) {
  return (
    <DeleteDialog name={alert.name} remove={() => alertApi.remove(alert.id)} close={close} done={done}>
      Its incidents, their history and comments are deleted, too. The node stays in the plan.
    </DeleteDialog>
  );
}
