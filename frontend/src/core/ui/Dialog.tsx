import type { KeyboardEvent, ReactNode } from "react";
import { useModal } from "./useModal";

interface Props {
  title: string;
  close: () => void;
  children: ReactNode;
}

export function Dialog({ title, close, children }: Props) {
  const dialog = useModal();
  // Escape closes the dialog, and not what it was opened from as well.
  const onKey = (event: KeyboardEvent) => event.key === "Escape" && event.stopPropagation();
  return (
    <dialog ref={dialog} onClose={close} onKeyDown={onKey} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
