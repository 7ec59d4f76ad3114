import type { ReactNode } from "react";
import { useModal } from "./useModal";

interface Props {
  title: string;
  close: () => void;
  children: ReactNode;
}

export function Dialog({ title, close, children }: Props) {
  const dialog = useModal();
  return (
    <dialog ref={dialog} onClose={close} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
