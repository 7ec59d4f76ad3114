import { lazy, Suspense } from "react";
import type { Importing } from "./ImportDialog";
import { FileDrop } from "./FileDrop";
import { useTransfer } from "./store";

const ImportDialog = lazy(() => import("./ImportDialog"));

/** Importing, by dialog or by a file that is dragged onto the page. */
export function Import(props: Importing) {
  const open = useTransfer((state) => state.open);
  return (
    <>
      <FileDrop />
      {open && (
        <Suspense fallback={null}>
          <ImportDialog {...props} />
        </Suspense>
      )}
    </>
  );
}
