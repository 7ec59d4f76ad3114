import { useEffect, useRef, type ReactNode } from "react";

interface Props {
  title: string;
  close: () => void;
  children: ReactNode;
}

export function Dialog({ title, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
