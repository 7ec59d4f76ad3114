import { useLayoutEffect, useRef, type RefObject } from "react";

/** A dialog that is open as long as it is there; closed before it goes, it gives the keyboard back to where that was. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return dialog;
}
